import type { Knex } from 'knex';
import { AppError } from '../errors.js';
import { migrate, openDatabase, schemaState } from '../records/database.js';

/** The database lacks migrations of this version. */
export class SchemaError extends AppError {
  readonly code = 'schema';
}

export interface LibraryDatabase {
  /** A Postgres: that of Tallyhook. */
  databaseUrl: string;
  /** The same database past a pooler in transaction mode; databaseUrl unless given. */
  databaseDirectUrl?: string;
  /** Brings the database's schemas up to date first. Unless true, an outdated schema is an error. */
  migrate?: boolean;
}

const CONNECTIONS = 5;

/** For a process of the store. Rejects where the database can't be reached, or lacks its schema (SchemaError). */
export async function openReady(
  { databaseUrl, databaseDirectUrl, migrate: isToMigrate }: LibraryDatabase,
  applicationName: string,
): Promise<Knex> {
  if (isToMigrate) await migrate(databaseDirectUrl ?? databaseUrl);
  const db = openDatabase(databaseUrl, { max: CONNECTIONS, applicationName });
  try {
    const { ok, problems, about } = await schemaState(db);
    const remedy = about === 'schema' ? ': run "tallyhook migrate", or pass migrate: true' : '';
    if (!ok) throw new SchemaError(`${problems.join('; ')}${remedy}`);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
