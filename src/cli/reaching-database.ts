import type { Config } from '../config.js';
import { DatabaseError, troubleOf } from '../records/database/database-trouble.js';

/** Runs a command against the database; where it can't be worked with, one line says so, not the place that noticed. */
export async function reachingDatabase<T>(
  { DATABASE_URL }: Pick<Config, 'DATABASE_URL'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === null) throw error;
    throw new DatabaseError(trouble, DATABASE_URL, { cause: error });
  }
}
