import type { Knex } from 'knex';
import { objectFromJsonText } from '../domain/json.js';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import { createdKind } from '../domain/own-calls.js';
import { textField } from '../domain/records.js';
import { AppError, ConfigError } from '../errors.js';
import { raw, rowsOf } from '../records/database/statements.js';
import { migrate, openDatabase, schemaState } from '../records/database.js';
import { findInstallation } from '../records/installation.js';
import { areDerived } from '../records/orders/rederive-releases.js';
import { recordTables } from '../records/record-columns.js';
import { createServiceRate } from '../records/service-rate.js';
import { createServiceWriteLog } from '../records/service-writes.js';
import type { Contract } from '../service-api/contract.js';
import type { KeyStore, NotedOperation } from '../service-api/key-store.js';
import { checkedBaseUrl } from '../service-api/service-calls.js';
import type { Answered } from '../service-api/service-writes.js';
import { observeAnswers } from './observe-answers.js';

/** Creating calls of all processes on the database, and the records that they made. */
export function createCallStore(db: Knex): KeyStore {
  return { ...createServiceWriteLog<NotedOperation>(db), made: (operation, id) => madeRecord(db, operation, id) };
}

interface Row {
  shown: string;
  observed_at: Date;
}

/** Nothing where only its id is known yet, where the service denies it, or where what says who somebody is was struck out. */
async function madeRecord(db: Knex, operation: NotedOperation, id: string): ReturnType<NonNullable<KeyStore['made']>> {
  const kind = createdKind(operation);
  if (kind === null) return null;
  const [row] = await rowsOf<Row>(db)`
    SELECT shown, observed_at FROM ${raw(recordTables[kind])}
    WHERE id = ${id} AND known AND NOT masked AND absent_since IS NULL`;
  const fields = row === undefined ? null : objectFromJsonText(row.shown);
  if (row === undefined || fields === null || textField(fields, 'status') === null) return null;
  return { fields, at: row.observed_at.getTime() };
}

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

export interface SharedCalls {
  keyStore: KeyStore;
  takeSlot: (signal: AbortSignal, operation: string) => Promise<void>;
  observe: (answered: Answered) => Promise<void>;
  close: () => Promise<void>;
}

export interface SharedCallsOptions {
  databaseUrl: string;
  baseUrl: string;
  contract: Contract;
  perSecond: number;
}

/**
 * What the calls of a store's process share with Tallyhook: keys, the rate, the records. Rejects with a ConfigError where the
 * database holds the records of another service, and as openReady does.
 */
export async function shareCalls({
  databaseUrl,
  baseUrl,
  contract,
  perSecond,
}: SharedCallsOptions): Promise<SharedCalls> {
  const db = await openReady({ databaseUrl }, 'tallyhook client');
  const installation = await findInstallation(db);
  if (installation !== null && installation.serviceBaseUrl !== checkedBaseUrl(baseUrl)) {
    await db.destroy();
    throw new ConfigError(
      'baseUrl: the database of databaseUrl holds the records of another service; accepted is its address, SERVICE_BASE_URL',
    );
  }
  /** By whichever rules this installation derives releases. None that is known: orders are left to its own processes. */
  async function rules(): Promise<ReleaseRules | null> {
    const words = { kytWords: contract.kyt, payoutWords: contract.movements.words.payoutType };
    for (const requiresRegistration of [true, false])
      if (await areDerived(db, { ...words, requiresRegistration })) return { ...words, requiresRegistration };
    return null;
  }
  return {
    keyStore: createCallStore(db),
    takeSlot: createServiceRate(db, { perSecond }),
    observe: async (answered) => {
      const [bound, held] = await Promise.all([findInstallation(db), rules()]);
      // The leading scheduler then takes in what the call made, by its key.
      if (bound === null || held === null) return;
      const { adoptedAt } = bound;
      await observeAnswers({ db, now: () => new Date(), adoptedAt, ...held, links: contract.links })(answered);
    },
    close: () => db.destroy(),
  };
}
