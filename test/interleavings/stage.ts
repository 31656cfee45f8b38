import { setImmediate as turn } from 'node:timers/promises';
import type { Client, QueryResult } from 'pg';
import { openDatabase } from '../../src/records/database.js';
import { endBackend, findWaiting, goOn, halt, STUCK_MS } from './backends.js';
import { pause, type Sent } from './gate.js';
import type { Body, Entry, Failure, Life, Plan } from './terms.js';

class CrashError extends Error {}

/** As a connection is opened, or kept in memory beyond a world. */
const ONCE = /^(SELECT pg_backend_pid|select version|select "key" from "personal_key")/;
const LIVES = 4;
const MOST_STATEMENTS = 3_000;
const BLOCKED_AFTER_MS = 3;
/** Whoever closes a circle finds it, long before anybody else goes on: who fails doesn't hang on timing. */
const SESSION = '-c deadlock_timeout=1ms';

/** Runs actors in one process so that one statement at a time is on its way, in an order that the plan decides. */
export class Stage {
  /** Actor and text of each statement, in the order in which they were let go. */
  readonly trace: string[] = [];
  /** What an actor threw that it should not. */
  readonly errors: string[] = [];
  readonly ended = new Set<string>();
  private readonly plan: Plan;
  private readonly cast: string[] = [];
  private readonly bodies = new Map<string, Body>();
  private entries: Entry[] = [];
  private last = '';
  private readonly ranks = new Map<string, number>();
  private readonly fallen = new Set<number>();
  private failure: Failure | null;
  private happened = false;
  private hear: () => void = () => {};
  /** Whoever is blocked may not be so any more. */
  private mayBeFree = false;

  constructor(plan: Plan) {
    this.plan = plan;
    this.failure = plan.failure;
  }

  gate(sent: Sent): Promise<QueryResult> | null {
    const life = this.bodies.get(sent.name);
    if (life === undefined || ONCE.test(sent.text)) return null;
    if (life.dead) return Promise.reject(new CrashError('the process is gone'));
    life.clients.add(sent.client);
    // What is sent together is taken one after the other, as the server does.
    const isFirst = () => this.entries.every((other) => other.sent?.client !== sent.client || other.state === 'parked');
    return this.park(life, sent, isFirst) as Promise<QueryResult>;
  }

  /** Adds an actor. After a crash it begins anew, remembering nothing. Never rejects. */
  add(actor: string, play: (life: Life) => Promise<void>): void {
    this.cast.push(actor);
    this.ranks.set(actor, this.plan.random(1_000));
    const lives = async (): Promise<void> => {
      for (let nth = 1; nth <= LIVES; nth += 1) {
        const life = this.born(actor, nth);
        try {
          await life.until(() => true);
          await play(life);
        } catch (error) {
          if (!life.dead) this.errors.push(`${actor}: ${String(error)}`);
        }
        if (!life.dead) break;
      }
      this.ended.add(actor);
      this.notify();
    };
    void lives();
  }

  /** Until all have ended. Throws where nobody can go on. */
  async run(): Promise<void> {
    while (this.trace.length < MOST_STATEMENTS) {
      await this.quiet();
      if (this.ended.size === this.cast.length) return;
      const ready = this.entries.filter(({ state, when }) => state === 'free' || (state === 'parked' && when()));
      const next = this.choose(ready);
      if (next === undefined) throw new Error(`nobody can go on: ${this.standing()}`);
      this.last = next.life.actor;
      await this.letGo(next);
    }
    throw new Error(`more than ${MOST_STATEMENTS} statements`);
  }

  /** All others have ended. */
  isLast(...actors: string[]): boolean {
    return this.cast.every((other) => actors.includes(other) || this.ended.has(other));
  }

  /** Whoever is still on the stage is let go nowhere. */
  async close(): Promise<void> {
    const lives = [...this.bodies.values()];
    for (const life of lives) if (this.entries.some((entry) => entry.life === life)) await this.crash(life);
    for (const life of lives.filter(({ dead }) => dead)) {
      this.plan.pools.delete(life.name);
      await life.db.destroy();
    }
    for (const life of lives) life.dead = true;
  }

  cut(client: Client): Promise<void> {
    return endBackend(this.plan.control, client);
  }

  private born(actor: string, nth: number): Body {
    const name = `${actor} ${nth}`;
    const url = new URL(this.plan.url);
    url.searchParams.set('application_name', name);
    url.searchParams.set('options', SESSION);
    const life: Body = {
      actor,
      name,
      url: url.href,
      db: this.plan.pools.get(name) ?? openDatabase(url.href, { max: 3, applicationName: name }),
      dead: false,
      clients: new Set(),
      until: async (when) => void (await this.park(life, null, when)),
    };
    this.bodies.set(name, life);
    this.plan.pools.set(name, life.db);
    return life;
  }

  private park(life: Body, sent: Sent | null, when: () => boolean): Promise<QueryResult | undefined> {
    if (life.dead) return Promise.reject(new CrashError('the process is gone'));
    return new Promise((resolve, reject) => {
      this.entries.push({ life, sent, when, state: 'parked', injected: false, resolve, reject });
      this.notify();
    });
  }

  /** Until everybody has ended, or waits: to be let go, or in Postgres for a lock of another. */
  private async quiet(): Promise<void> {
    const deadline = performance.now() + STUCK_MS;
    for (;;) {
      await turn();
      await turn();
      const isMoving = this.entries.some(({ state }) => state === 'sent') || this.idle().length > 0;
      if (!isMoving && !this.mayBeFree) return;
      if (performance.now() > deadline) throw new Error(`it stands still: ${this.standing()}`);
      if (isMoving && (await this.news())) continue;
      await this.findBlocked();
    }
  }

  /** Actors that are about to say what they do next. */
  private idle(): string[] {
    return this.cast.filter((actor) => !this.ended.has(actor) && !this.entries.some(isOf(actor)));
  }

  /** Whether anything happened since it was last asked, or happens soon. */
  private async news(): Promise<boolean> {
    if (!this.happened) {
      const heard = new Promise<void>((resolve) => {
        this.hear = resolve;
      });
      await Promise.race([heard, pause(BLOCKED_AFTER_MS)]);
    }
    const { happened } = this;
    this.happened = false;
    return happened;
  }

  private notify(): void {
    this.happened = true;
    this.hear();
  }

  /**
   * Whoever waits for a lock is stopped there, so that of two that get theirs at once the schedule says which goes on first.
   * Whoever closes a circle is not: Postgres is about to end that.
   */
  private async findBlocked(): Promise<void> {
    this.mayBeFree = false;
    const inPostgres = this.entries.flatMap((entry) =>
      entry.sent === null || entry.state === 'parked' ? [] : [{ entry, client: entry.sent.client }],
    );
    if (inPostgres.length === 0) return;
    const waiting = await findWaiting(
      this.plan.control,
      inPostgres.map(({ client }) => client),
    );
    for (const { entry, client } of inPostgres) {
      const why = waiting.get(client);
      if (entry.state !== 'sent') entry.state = why === undefined ? 'free' : 'blocked';
      else if (why === 'lock') {
        entry.state = 'blocked';
        halt(client);
      }
    }
  }

  private choose(ready: readonly Entry[]): Entry | undefined {
    const { random, stay, falls } = this.plan;
    const able = this.cast.filter((actor) => ready.some(isOf(actor)));
    const stays = random(10) < stay && able.includes(this.last);
    const any = stays ? this.last : able[random(able.length)];
    const actor = falls === null ? any : this.highest(able, falls);
    return actor === undefined ? undefined : ready.find(isOf(actor));
  }

  private highest(able: readonly string[], falls: readonly number[]): string | undefined {
    const rank = (actor: string): number => this.ranks.get(actor) ?? 0;
    const [first, second] = able.toSorted((a, b) => rank(b) - rank(a));
    const isFalling = first !== undefined && falls.includes(this.trace.length) && !this.fallen.has(this.trace.length);
    if (!isFalling) return first;
    this.fallen.add(this.trace.length);
    this.ranks.set(first, -this.trace.length - 1);
    return second ?? first;
  }

  private async letGo(entry: Entry): Promise<void> {
    const { sent } = entry;
    if (sent === null) return this.settle(entry, () => entry.resolve());
    if (entry.state === 'free') {
      this.trace.push(`${entry.life.name} goes on`);
      entry.state = 'sent';
      goOn(sent.client);
      return;
    }
    this.trace.push(`${entry.life.name}: ${sent.text.replace(/SAVEPOINT trx\d+/, 'SAVEPOINT')}`);
    const known = { ...entry, sent };
    const failure = this.failureOf(sent);
    if (failure?.startsWith('crash') && failure !== 'crash after COMMIT') return this.crash(entry.life);
    await this.plan.before(known);
    const { run } = await this.fail(entry, sent, failure);
    entry.state = 'sent';
    void this.finish({ entry, known, failure }, run());
  }

  private async finish(
    { entry, known, failure }: { entry: Entry; known: Entry & { sent: Sent }; failure: Failure['kind'] | null },
    running: Promise<QueryResult>,
  ): Promise<void> {
    const answer = await running.catch((error: Error) => error);
    if (entry.life.dead) return;
    const others = this.entries.filter((other) => other !== entry && other.state !== 'parked');
    await this.plan.after({ ...known, injected: entry.injected }, answer, others);
    this.mayBeFree = true;
    if (failure === 'crash after COMMIT') return this.crash(entry.life);
    const isLost = failure === 'answer lost' || failure === 'answer of COMMIT lost';
    if (isLost) await this.cut(known.sent.client);
    const outcome = isLost ? new Error('Connection terminated unexpectedly') : answer;
    this.settle(entry, () => (outcome instanceof Error ? entry.reject(outcome) : entry.resolve(outcome)));
  }

  private failureOf({ text }: Sent): Failure['kind'] | null {
    if (this.failure === null || this.trace.length <= this.failure.at) return null;
    const { kind } = this.failure;
    if (kind.includes('COMMIT') && text !== 'COMMIT;') return null;
    this.failure = null;
    this.trace.push(`(${kind})`);
    return kind;
  }

  private async fail(entry: Entry, sent: Sent, failure: Failure['kind'] | null): Promise<Pick<Sent, 'run'>> {
    if (failure === 'connection cut') await this.cut(sent.client);
    if (failure !== 'deadlock' && failure !== 'serialization failure') return sent;
    entry.injected = true;
    const code = failure === 'deadlock' ? '40P01' : '40001';
    const raised = `DO $$ BEGIN RAISE EXCEPTION 'put in' USING ERRCODE = '${code}'; END $$`;
    const run = async (): Promise<QueryResult> => {
      try {
        return await sent.run(raised);
      } finally {
        if (sent.text === 'COMMIT;') await sent.run('ROLLBACK');
      }
    };
    return { run };
  }

  /** Its connections are gone, and whatever it does from now on is done by nobody. */
  private async crash(life: Body): Promise<void> {
    life.dead = true;
    const left = this.entries.filter((entry) => entry.life === life);
    for (const client of life.clients) await this.cut(client);
    this.mayBeFree = true;
    for (const entry of left) this.settle(entry, () => entry.reject(new CrashError('the process is gone')));
  }

  private settle(entry: Entry, deliver: () => void): void {
    this.entries = this.entries.filter((other) => other !== entry);
    deliver();
    this.notify();
  }

  private standing(): string {
    const waiting = this.entries.map(({ life, state, sent }) => `${life.name} ${state} ${sent?.text ?? 'pauses'}`);
    return [...waiting, `ended: ${[...this.ended].join()}`].join('\n');
  }
}

function isOf(actor: string): (entry: Entry) => boolean {
  return ({ life }) => life.actor === actor;
}
