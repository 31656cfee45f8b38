import { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import promised from 'node:timers/promises';
import { callbackify } from 'node:util';
import { Client, type QueryResult } from 'pg';

/** A statement that an actor is about to send. `run` sends it, or another text in its place. */
export interface Sent {
  /** The name of its connection: of an actor, and which of its lives. */
  name: string;
  client: Client;
  text: string;
  run: (instead?: string) => Promise<QueryResult>;
}

/** Null: none of an actor's; it goes at once. */
type Gate = (sent: Sent) => Promise<QueryResult> | null;

type Callback = (error: Error | null, result: QueryResult) => void;
type Query = (this: Client, ...given: unknown[]) => Promise<QueryResult>;

/** Takes its time, whatever happens to the clocks. */
export const { setTimeout: pause } = promised;

/** No pause of the product is longer that ends by itself in a world. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * Every statement of every connection in this process passes `gate` first, and pauses of a second or less end at once.
 * Returns what undoes it.
 */
export function openGate(gate: Gate): () => void {
  const query = Reflect.get(Client.prototype, 'query') as Query;
  const gated = function (this: Client, ...given: unknown[]): unknown {
    const callback = typeof given.at(-1) === 'function' ? (given.at(-1) as Callback) : null;
    const rest = callback === null ? given : given.slice(0, -1);
    const run: Sent['run'] = (instead) => query.apply(this, instead === undefined ? rest : [instead]);
    const answer = gate({ name: nameOf(this), client: this, text: textOf(rest[0]), run });
    if (answer === null) return query.apply(this, given);
    if (callback === null) return answer;
    callbackify(() => answer)(callback);
    return undefined;
  };
  Reflect.set(Client.prototype, 'query', gated);
  const wind = windClocks();
  return () => {
    Reflect.set(Client.prototype, 'query', query);
    wind();
  };
}

/** Nothing hangs on how long a pause is: an actor that has paused waits at its next statement. */
function windClocks(): () => void {
  const { setTimeout: timer } = globalThis;
  const { setTimeout: delay } = promised;
  const short = (ms = 0) => (ms <= LONGEST_PAUSE_MS ? 0 : ms);
  const quick = (...[then, ms, ...rest]: Parameters<typeof timer>) => timer(then, short(ms), ...rest);
  globalThis.setTimeout = Object.assign(quick, timer);
  promised.setTimeout = (ms, ...rest) => delay(short(ms), ...rest);
  syncBuiltinESMExports();
  return () => {
    globalThis.setTimeout = timer;
    promised.setTimeout = delay;
    syncBuiltinESMExports();
  };
}

function nameOf(client: Client): string {
  const parameters = Reflect.get(client, 'connectionParameters') as { application_name?: string };
  return parameters.application_name ?? '';
}

function textOf(given: unknown): string {
  const text = typeof given === 'string' ? given : String(Reflect.get(given as object, 'text'));
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Numbers below a bound, from a seed: the same ones each time. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 10);
}
