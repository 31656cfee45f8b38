import type { Knex } from 'knex';
import type { Client, QueryResult } from 'pg';
import { hasEnded } from './backends.js';
import type { Notes } from './cast.js';
import type { Stage } from './stage.js';
import type { Entry } from './terms.js';
import type { World } from './world.js';

type Statement = Pick<Entry, 'life' | 'injected'> & { sent: NonNullable<Entry['sent']> };

/** Of the transaction that is open on a connection. */
interface Open {
  taken: string[];
  /** Runs that it buries. */
  orphaned: string[];
  wrote: boolean;
  lockSets: number;
}

/** How often each law had something to check: one that never had would prove nothing. */
export const checked = { takes: 0, claims: 0, burials: 0, fenced: 0, lockSets: 0, lostLocks: 0 };

const TAKES = /taken AS \( UPDATE inbox SET status = 'applied'/;
const CLAIMS = /^UPDATE inbox SET next_attempt_at = now\(\) \+/;
const WRITES = /^(INSERT INTO|UPDATE) (changes|orders|payment_intents|payins|invoices|payouts) /;

/** What is to be seen only while it happens: who holds which events, in whose name is written, who deadlocks. */
export class Watch {
  /** How often each event was applied, by its row. */
  readonly applied = new Map<string, number>();
  /** Runs that were taken for dead. */
  readonly orphaned = new Set<string>();
  private readonly open = new Map<Client, Open>();
  private readonly runOf = new Map<string, string>();

  private lock: Client | null = null;
  private untilLost: number;

  private readonly control: Knex;
  private readonly notes: Notes;

  constructor(control: Knex, notes: Notes, { lockLostAfter }: World) {
    this.control = control;
    this.notes = notes;
    this.untilLost = lockLostAfter;
  }

  async before({ life }: Statement, stage: Stage): Promise<void> {
    if (life.actor !== 'leader' || this.lock === null) return;
    this.untilLost -= 1;
    if (this.untilLost > 0) return;
    checked.lostLocks += 1;
    await stage.cut(this.lock);
    this.lock = null;
    this.notes.lockLost = true;
  }

  async after(statement: Statement, answer: QueryResult | Error, others: Entry[]): Promise<void> {
    const { client, text } = statement.sent;
    if (answer instanceof Error) {
      if (Reflect.get(answer, 'code') === '40P01' && !statement.injected) this.deadlocked(statement, others);
      // Postgres gives up the locks of a transaction at its first error, not when it is told to roll back.
      this.open.delete(client);
      return;
    }
    const open = this.open.get(client);
    if (text === 'BEGIN;') this.open.set(client, { taken: [], orphaned: [], wrote: false, lockSets: 0 });
    else if (text === 'ROLLBACK') this.open.delete(client);
    else if (text === 'COMMIT;') this.committed(statement, open);
    else if (TAKES.test(text)) this.took(client, idsOf(answer));
    else if (CLAIMS.test(text)) await this.claimed(idsOf(answer));
    else if (text.startsWith('insert into "runs"')) this.runOf.set(statement.life.url, idsOf(answer)[0]!);
    else if (/^update "runs" .* returning "id"/.test(text)) open?.orphaned.push(...idsOf(answer));
    else if (/pg_try_advisory_lock/.test(text) && statement.life.actor === 'leader' && answer.rows[0].held)
      this.lock = client;
    if (/pg_advisory_xact_lock/.test(text) && open !== undefined) open.lockSets += 1;
    if (WRITES.test(text) && (answer.rowCount ?? 0) > 0 && open !== undefined) open.wrote = true;
  }

  /** Events of transactions that are still open. */
  private inHand(): string[] {
    return [...this.open].flatMap(([client, { taken }]) => (hasEnded(client) ? [] : taken));
  }

  isCalm(): boolean {
    return [...this.open.keys()].every((client) => hasEnded(client));
  }

  private took(client: Client, ids: string[]): void {
    checked.takes += ids.length;
    const inHand = this.inHand();
    for (const id of ids.filter((id) => inHand.includes(id) || this.applied.has(id)))
      this.notes.breaches.push(`event ${id} was taken while another held it, or after it was applied`);
    this.open.get(client)?.taken.push(...ids);
  }

  private async claimed(ids: string[]): Promise<void> {
    checked.claims += ids.length;
    const done: string[] = await this.control('inbox')
      .whereIn('id', ids)
      .whereNotIn('status', ['received', 'failed'])
      .pluck('id');
    const inHand = this.inHand();
    for (const id of [...done, ...ids.filter((id) => inHand.includes(id))])
      this.notes.breaches.push(`the sweep claimed event ${id}, which was in progress or done`);
  }

  private committed({ life, sent }: Statement, open: Open | undefined): void {
    this.open.delete(sent.client);
    for (const id of open?.taken ?? []) this.applied.set(id, (this.applied.get(id) ?? 0) + 1);
    for (const id of open?.orphaned ?? []) this.orphaned.add(id);
    checked.burials += open?.orphaned.length ?? 0;
    checked.lockSets += open?.lockSets ?? 0;
    if (open?.wrote === true) this.notes.written += 1;
    const run = this.runOf.get(life.url);
    if (run === undefined || open?.wrote !== true) return;
    checked.fenced += 1;
    if (this.orphaned.has(run))
      this.notes.breaches.push(`${life.actor} wrote in the name of run ${run}, which was taken for dead`);
  }

  /** Only what turns up between reading and locking is locked out of order (src/records/family/affected.ts). */
  private deadlocked(statement: Statement, others: Entry[]): void {
    const all = [
      statement,
      ...others.flatMap((other) => (other.sent === null ? [] : [{ ...other, sent: other.sent }])),
    ];
    const isLate = ({ sent }: Statement) =>
      /pg_advisory_xact_lock/.test(sent.text) && (this.open.get(sent.client)?.lockSets ?? 0) > 0;
    if (all.some(isLate)) return;
    const texts = all.map(({ life, sent }) => `  ${life.actor}: ${sent.text.slice(0, 200)}`);
    this.notes.breaches.push(['a deadlock:', ...texts].join('\n'));
  }
}

function idsOf({ rows }: QueryResult): string[] {
  return rows.map(({ id }) => String(id));
}
