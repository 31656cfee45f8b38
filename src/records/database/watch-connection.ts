import type { Socket } from 'node:net';
import { Client } from 'pg';

/** What is used of a connection of pg, some of it not in its types. */
export interface WatchedConnection {
  /** False while an answer is awaited. */
  readyForQuery: boolean;
  /** Of the session at the server. */
  processID: number | null;
  connection: { stream: Socket };
}

const SILENT_MS = 10_000;
const ASK_TIMEOUT_MS = 5_000;

/**
 * Ends a connection whose far side vanished without a word, as after a fail-over or behind a proxy that forgot it: its
 * answer would be awaited for hours, and its caller stand still. Whenever an answer has been awaited in silence for so
 * long, the server is asked by another connection; a session that is not there, or not at work, will not answer any more.
 * A long statement is left alone.
 */
export function watchConnection(connection: WatchedConnection, url: string, silentMs = SILENT_MS): void {
  const { stream } = connection.connection;
  const look = async (): Promise<void> => {
    const { bytesRead } = stream;
    const isLost = !connection.readyForQuery && (await isGone(url, connection.processID));
    if (stream.destroyed) return;
    if (isLost && !connection.readyForQuery && stream.bytesRead === bytesRead) {
      stream.destroy(new Error('connection terminated: the server knows nothing of it any more'));
    } else stream.setTimeout(silentMs);
  };
  stream.setTimeout(silentMs);
  stream.on('timeout', () => void look());
}

/** False where nobody can be asked. */
async function isGone(url: string, processId: number | null): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    application_name: 'tallyhook watch',
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ state: string }>('SELECT state FROM pg_stat_activity WHERE pid = $1', [
      processId,
    ]);
    return rows[0] === undefined || rows[0].state.startsWith('idle');
  } catch {
    return false;
  } finally {
    void client.end().catch(() => {});
  }
}
