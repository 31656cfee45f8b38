import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import { databaseTrouble } from '../records/database/database-errors.js';

/** The database does not answer, or is not the one that this program needs. */
class DatabaseError extends AppError {
  readonly code = 'database';
  override readonly retryable = true;
}

const remedies = {
  unreachable: 'See that it runs and that DATABASE_URL is right: tallyhook doctor.',
  refused: 'Correct the user, password or database name in DATABASE_URL.',
  'not up to date': 'Bring it up to date: tallyhook migrate.',
};

/** Runs a command against the database; that it is down is told in one line, not by where in the program it was noticed. */
export async function reachingDatabase<T>(
  { DATABASE_URL }: Pick<Config, 'DATABASE_URL'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const trouble = error instanceof AppError ? null : databaseTrouble(error);
    if (trouble === null) throw error;
    const { is, code } = trouble;
    throw new DatabaseError(`The database ${whereabouts(DATABASE_URL)} is ${is} (${code}). ${remedies[is]}`, {
      cause: error,
    });
  }
}

/** Without user and password. */
function whereabouts(url: string | undefined): string {
  if (url === undefined) return 'under ./.tallyhook';
  if (!URL.canParse(url)) return 'of DATABASE_URL';
  const { host, pathname, searchParams } = new URL(url);
  return `at ${host === '' ? (searchParams.get('host') ?? 'this machine') : host}${pathname}`;
}
