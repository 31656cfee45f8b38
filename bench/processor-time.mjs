// What a neighbour can't falsify as it does the time: seconds of processor time, as the system counts them; and memory.
import { readdirSync, readFileSync } from 'node:fs';

/** Where the times stand in /proc/PID/stat, behind the name: of the process itself; of its children that ended. */
const OWN = 11;
const ENDED_CHILDREN = 13;
const TICKS = 100;

export function processorSeconds(pid) {
  return seconds(statOf(pid), OWN);
}

/** What a process holds now. */
export function rssMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Of a Postgres server: itself, its children that ended, and those that live. */
export function serverSeconds(server) {
  const living = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === server);
  const children = living.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const stat = statOf(server);
  return seconds(stat, OWN) + seconds(stat, ENDED_CHILDREN) + children;
}

export function parentOf(pid) {
  return Number(statOf(pid)[1]);
}

/** The server behind a connection of `pg`. */
export async function serverOf(client) {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return parentOf(rows[0].pid);
}

function seconds(stat, from) {
  return (Number(stat[from] ?? 0) + Number(stat[from + 1] ?? 0)) / TICKS;
}

function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
