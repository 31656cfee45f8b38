import type { Knex } from 'knex';
import type { Client, QueryResult } from 'pg';
import type { Sent } from './gate.js';

/** What befalls the statement that the schedule lets go as the `at`th, or the first COMMIT from there on. */
export interface Failure {
  kind: (typeof failures)[number];
  at: number;
}

export const failures = [
  'connection cut',
  'answer lost',
  'deadlock',
  'serialization failure',
  'crash',
  'crash before COMMIT',
  'crash after COMMIT',
  'answer of COMMIT lost',
] as const;

/** From its start until it ends or crashes; it has connections of its own. */
export interface Life {
  actor: string;
  url: string;
  db: Knex;
  /** Lets others go on, and waits until then. */
  until: (when: () => boolean) => Promise<void>;
}

/** A statement on its way, or a pause (`sent` null) until `when`. */
export interface Entry {
  life: Body;
  sent: Sent | null;
  when: () => boolean;
  /** `blocked`: its process in Postgres waits for a lock, and is stopped; `free`: it has got it. */
  state: 'parked' | 'sent' | 'blocked' | 'free';
  /** A failure that was put in: nobody deadlocked by itself. */
  injected: boolean;
  resolve(result?: QueryResult): void;
  reject(error: Error): void;
}

export interface Body extends Life {
  name: string;
  dead: boolean;
  clients: Set<Client>;
}

/** Connections outlive a world: a new one costs as much as ten statements. */
export type Pools = Map<string, Knex>;

export interface Plan {
  url: string;
  pools: Pools;
  /** Of nobody on the stage. */
  control: Knex;
  random: (below: number) => number;
  failure: Failure | null;
  /** Of ten choices so many stay with the actor of the last statement, where it can go on. */
  stay: number;
  /**
   * Or: whoever stands highest goes on for as long as it can. At these places whose turn it is falls behind all others, so that
   * it stands still there until nobody else can go on. Null: `stay` counts.
   */
  falls: number[] | null;
  /** Before a statement is let go. */
  before(entry: Entry & { sent: Sent }): Promise<void>;
  /** After it was answered, before its actor knows. `others`: what is in Postgres meanwhile. */
  after(entry: Entry & { sent: Sent }, answer: QueryResult | Error, others: Entry[]): Promise<void>;
}
