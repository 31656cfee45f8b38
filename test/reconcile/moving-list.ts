import type { JsonObject } from '../../src/domain/json.js';
import type { PageQuery, PageReader } from '../../src/reconcile/service-reader.js';
import type { Random } from './random.js';

export interface Simulated {
  id: string;
  createdAt: number;
  seq: number;
  status: string;
  irregular: string;
  /** Grows with each change; `fields` carries it. */
  version: number;
  changedAt: number;
  deletedAt: number | null;
}

/** How the service finds the place of a cursor. */
export type Semantics = 'orm' | 'key';

export interface MovingListOptions {
  semantics: Semantics;
  /** The service answers no more rows than this, whatever it is asked for. */
  pageCap: number;
  /** Rows are deleted, too. */
  deletes: boolean;
  /** Times of creation are cut to so many milliseconds, so that rows share a moment. */
  grainMs: number;
  /** Left out: that of payment intents. */
  life?: Life;
}

/** How the records of a list live: the states that they begin in, and those that follow on each. */
export interface Life {
  first: readonly string[];
  next: Readonly<Record<string, readonly string[]>>;
  /** One that is completed may be disputed. */
  disputes: boolean;
}

const lifeOfIntents: Life = {
  first: ['waiting_address_selection', 'pending', 'confirming'],
  next: {
    waiting_address_selection: ['pending', 'expired', 'cancelled'],
    pending: ['confirming', 'confirming', 'expired', 'cancelled'],
    confirming: ['completed', 'completed', 'unmatched'],
    unmatched: ['completed', 'cancelled'],
  },
  disputes: true,
};
const lifeOfInvoices: Life = {
  first: ['draft', 'sent'],
  next: { draft: ['sent', 'cancelled'], sent: ['paid', 'paid', 'expired', 'cancelled'] },
  disputes: false,
};
/** `in_review` and `broadcast` are states that the specification does not list. */
const lifeOfPayouts: Life = {
  first: ['pending'],
  next: {
    pending: ['approved', 'approved', 'in_review', 'failed'],
    in_review: ['approved', 'failed'],
    approved: ['broadcast', 'confirmed', 'failed'],
    broadcast: ['confirmed'],
  },
  disputes: false,
};
export const lives = { payment_intent: lifeOfIntents, invoice: lifeOfInvoices, payout: lifeOfPayouts } as const;

/** The service's list of payment intents, in memory, changing between every two calls. */
export class MovingList {
  readonly rows = new Map<string, Simulated>();
  readonly random: Random;
  readonly options: MovingListOptions;
  clock = Date.parse('2026-03-01T12:00:00Z');
  calls = 0;
  /** Mutations between two calls, at most. */
  restlessness = 6;
  /** Called before each call; may throw. */
  beforeCall: () => void = () => {};
  readonly life: Life;
  private sequence = 0;
  /** Newest first. */
  private readonly order: Simulated[] = [];

  constructor(random: Random, options: MovingListOptions) {
    this.random = random;
    this.options = options;
    this.life = options.life ?? lifeOfIntents;
  }

  /** `many` records created over the last `spanMs`, most of them done with. */
  grow(many: number, spanMs: number): void {
    const now = this.clock;
    const ages = Array.from({ length: many }, () => this.random.below(spanMs)).sort((a, b) => b - a);
    for (const age of ages) {
      this.clock = now - age;
      const row = this.insert();
      for (let steps = this.random.below(6); steps > 0; steps--) this.advance(row);
    }
    this.clock = now;
  }

  readonly read: PageReader = async (query) => {
    this.beforeCall();
    for (let changes = this.random.below(this.restlessness + 1); changes > 0; changes--) this.mutate();
    this.calls += 1;
    const from = this.clock;
    this.clock += 100 + this.random.below(400);
    const data = this.page(query).map(fieldsOf);
    return { data, from, to: this.clock };
  };

  /** What the list holds, newest first. */
  all(): JsonObject[] {
    return this.order.filter((row) => row.deletedAt === null).map(fieldsOf);
  }

  mutate(): void {
    const dice = this.random.below(20);
    if (dice < 6) for (let many = 1 + this.random.below(3); many > 0; many--) this.insert();
    else if (this.options.deletes && dice === 6) this.delete();
    else this.advance(this.pick());
  }

  /** The state moves on; a payment that is done with may be disputed. */
  advance(row: Simulated | undefined): void {
    if (row === undefined || row.deletedAt !== null) return;
    const { next: steps, disputes } = this.life;
    const next = steps[row.status];
    if (next !== undefined) row.status = this.random.pick(next);
    else if (disputes && row.status === 'completed' && row.irregular === 'none' && this.random.below(4) === 0)
      row.irregular = 'pending_decision';
    else if (row.irregular === 'pending_decision') row.irregular = this.random.pick(['encashed', 'refunded']);
    else return;
    this.touch(row);
  }

  private insert(): Simulated {
    const late = this.random.below(5) === 0 ? this.random.below(300_000) : 0;
    const createdAt = Math.floor((this.clock - late) / this.options.grainMs) * this.options.grainMs;
    this.sequence += 1;
    const id = `pi_${this.random.below(1e9).toString(36)}_${this.sequence}`;
    const row: Simulated = {
      id,
      createdAt,
      seq: this.sequence,
      status: this.random.pick(this.life.first),
      irregular: 'none',
      version: 0,
      changedAt: this.clock,
      deletedAt: null,
    };
    this.rows.set(id, row);
    const at = this.order.findIndex((other) => other.createdAt <= createdAt);
    this.order.splice(at < 0 ? this.order.length : at, 0, row);
    return row;
  }

  private delete(): void {
    const row = this.pick();
    if (row === undefined || row.deletedAt !== null) return;
    row.deletedAt = this.clock;
    this.touch(row);
  }

  /** Of those near the head, mostly: there a cursor is most likely to be hit. */
  private pick(): Simulated | undefined {
    const all = this.order.length;
    return this.order[this.random.below(this.random.below(3) === 0 ? all : Math.min(all, 60))];
  }

  private touch(row: Simulated): void {
    row.version += 1;
    row.changedAt = this.clock;
  }

  private page({ cursor, take, status }: PageQuery): Simulated[] {
    const size = Math.min(take, this.options.pageCap);
    const isListed = (row: Simulated): boolean => row.deletedAt === null && matches(row, status);
    const at = cursor === undefined ? undefined : this.rows.get(cursor);
    if (cursor !== undefined && at === undefined) return [];
    if (at === undefined) return firstListed(this.order, 0, size, isListed);
    if (this.options.semantics === 'key') return firstListed(this.order, this.order.indexOf(at) + 1, size, isListed);
    if (at.deletedAt !== null) return [];
    return firstListed(this.order, this.order.indexOf(at), size + 1, isListed).slice(1);
  }
}

function firstListed(
  order: Simulated[],
  start: number,
  size: number,
  isListed: (row: Simulated) => boolean,
): Simulated[] {
  const page: Simulated[] = [];
  for (let index = start; index < order.length && page.length < size; index++) {
    const row = order[index]!;
    if (isListed(row)) page.push(row);
  }
  return page;
}

function matches(row: Simulated, status: string | undefined): boolean {
  if (status === undefined) return true;
  return status === 'irregular' ? row.irregular !== 'none' : row.status === status;
}

function fieldsOf(row: Simulated): JsonObject {
  return {
    id: row.id,
    status: row.status,
    irregularStatus: row.irregular,
    createdAt: new Date(row.createdAt).toISOString(),
    version: String(row.version),
  };
}
