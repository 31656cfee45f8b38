import type { Socket } from 'node:net';
import { Client } from 'pg';

/** What is used of a connection of pg, some of it not in its types. */
export interface WatchedConnection {
  /** False while an answer is awaited. */
  readyForQuery: boolean;
  /** Of the session at the server, as the far side said when it was opened: a pooler gives a number of its own. */
  processID: number | null;
  connection: { stream: Socket };
  query(statement: { text: string; query_timeout: number }): Promise<{ rows: { pid: number }[] }>;
}

const SILENT_MS = 10_000;
const ASK_TIMEOUT_MS = 5_000;

/**
 * Ends a connection whose far side vanished without a word, as after a fail-over or behind a proxy that forgot it: its
 * answer would be awaited for hours, and its caller stand still. Whenever an answer has been awaited in silence for so
 * long, the server is asked by another connection; a session that is not there, or not at work, will not answer any more.
 * A long statement is left alone, and so is a connection to a pooler: what becomes of its session can't be asked for by
 * the number that the pooler gave. Such a one also prepares no statement by name, which another session would not know.
 *
 * Rejects where the connection does not answer even now; it is ended then.
 */
export async function watchConnection(connection: WatchedConnection, url: string, silentMs = SILENT_MS): Promise<void> {
  const { stream } = connection.connection;
  const pid = await processOf(connection);
  if (pid !== connection.processID) return forgetNames(connection);
  const check = async (): Promise<void> => {
    const { bytesRead } = stream;
    const isLost = !connection.readyForQuery && (await isGone(url, pid));
    // An answer that came together with that one is read first.
    await new Promise(setImmediate);
    if (stream.destroyed) return;
    if (isLost && !connection.readyForQuery && stream.bytesRead === bytesRead) {
      stream.destroy(new Error('connection terminated: the server knows nothing of it any more'));
    } else stream.setTimeout(silentMs);
  };
  stream.setTimeout(silentMs);
  stream.on('timeout', () => void check());
}

function forgetNames(connection: WatchedConnection): void {
  const query = Reflect.get(connection, 'query') as (...given: unknown[]) => unknown;
  const unnamed = (given: unknown) =>
    typeof given === 'object' && given !== null && 'name' in given && 'text' in given
      ? { ...given, name: undefined }
      : given;
  Reflect.set(connection, 'query', (given: unknown, ...rest: unknown[]) =>
    query.call(connection, unnamed(given), ...rest),
  );
}

async function processOf(connection: WatchedConnection): Promise<number> {
  try {
    const { rows } = await connection.query({ text: 'SELECT pg_backend_pid() AS pid', query_timeout: ASK_TIMEOUT_MS });
    return rows[0]?.pid ?? 0;
  } catch (cause) {
    const error = new Error('connection terminated: the server does not answer', { cause });
    connection.connection.stream.destroy(error);
    throw error;
  }
}

/**
 * For pg, prefer, require and verify-ca mean verify-full, and it warns that they won't in its next version. Each address says
 * so by itself. Whoever wants libpq's meaning writes uselibpqcompat=true.
 */
export function verifyingTls(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, 'verify-full');
}

/** False where nobody can be asked, or only a standby, which knows nothing of the sessions of others. */
async function isGone(url: string, pid: number): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    application_name: 'tallyhook watch',
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean; found: boolean; idle: boolean | null }>(
      `SELECT pg_is_in_recovery() AS standby, session.pid IS NOT NULL AS found, state LIKE 'idle%' AS idle
       FROM (SELECT $1::integer AS pid) AS watched LEFT JOIN pg_stat_activity AS session ON session.pid = watched.pid`,
      [pid],
    );
    const [said] = rows;
    return said !== undefined && !said.standby && (!said.found || said.idle === true);
  } catch {
    return false;
  } finally {
    void client.end().catch(() => {});
  }
}
