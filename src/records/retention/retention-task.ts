import type { Knex } from 'knex';

/** How long what is kept, in days. */
export interface RetentionDays {
  /** RETENTION_BODY_DAYS */
  body: number;
  /** RETENTION_KEY_DAYS */
  keys: number;
  /** RETENTION_PERSONAL_DAYS */
  personal: number;
}

export interface StepQuery {
  /** What is older goes. */
  cutoff: Date;
  /** Where the step before ended; null: the first one. */
  place: string | null;
  /** Rows read in one step, at most. */
  limit: number;
}

export interface Step {
  /** Rows that were pruned, deleted or masked. */
  done: number;
  /** Where the next step goes on; null: nothing is left. */
  next: string | null;
  /** Where the next pass may begin, if this one ends here; left out: at the start. */
  end?: string | null;
}

/** One part of retention: many small steps, each a transaction of its own, so that any of them may be the last. */
export interface RetentionTask {
  name: string;
  days: (days: RetentionDays) => number;
  step: (trx: Knex.Transaction, query: StepQuery) => Promise<Step>;
}
