import type { Knex } from 'knex';
import type { Client } from 'pg';
import { pause } from './gate.js';

/** Nothing takes so long that goes well. */
export const STUCK_MS = 10_000;

const TERMINATE = 'SELECT pg_terminate_backend(pid, ?) FROM pg_stat_activity WHERE pid = ?';

/** The process in Postgres that serves the connection. */
function pidOf(client: Client): number {
  return Number(Reflect.get(client, 'processID'));
}

export function hasEnded(client: Client): boolean {
  return Reflect.get(client, '_ended') === true;
}

/** It does nothing until it is let go on; where it waits for a lock, it gets that all the same. */
export function halt(client: Client): void {
  process.kill(pidOf(client), 'SIGSTOP');
}

export function goOn(client: Client): void {
  process.kill(pidOf(client), 'SIGCONT');
}

/** Ends a connection at the server, halted or not; returns when both sides know. */
export async function endBackend(control: Knex, client: Client): Promise<void> {
  if (hasEnded(client)) return;
  const gone = new Promise<void>((resolve) => client.once('end', resolve));
  await control.raw(TERMINATE, [0, pidOf(client)]);
  try {
    goOn(client);
  } catch {
    // It is gone already.
  }
  await control.raw(TERMINATE, [STUCK_MS, pidOf(client)]);
  await Promise.race([gone, pause(STUCK_MS)]);
}

/**
 * Of these connections, which wait for a lock of another; `circle` where Postgres is about to end a deadlock that one is part of.
 */
export async function findWaiting(control: Knex, clients: Client[]): Promise<Map<Client, 'lock' | 'circle'>> {
  const { rows } = await control.raw<{ rows: { pid: number; by: number[] }[] }>(
    'SELECT pid, pg_blocking_pids(pid) AS by FROM unnest(?::integer[]) AS pid',
    [clients.map(pidOf)],
  );
  const blockers = new Map(rows.map(({ pid, by }) => [pid, by]));
  const waiting = clients.filter((client) => (blockers.get(pidOf(client)) ?? []).length > 0);
  return new Map(waiting.map((client) => [client, reaches(blockers, pidOf(client)) ? 'circle' : 'lock']));
}

function reaches(blockers: ReadonlyMap<number, number[]>, pid: number): boolean {
  const seen = new Set<number>();
  let next = blockers.get(pid) ?? [];
  while (next.length > 0) {
    if (next.includes(pid)) return true;
    for (const one of next) seen.add(one);
    next = next.flatMap((one) => blockers.get(one) ?? []).filter((one) => !seen.has(one));
  }
  return false;
}
