import type { Knex } from 'knex';
import type { CallOutcome } from '../../domain/scorecard/call-outcomes.js';
import { run, tableOf } from '../database/statements.js';

export interface CallCount {
  hour: Date;
  operation: string;
  outcome: CallOutcome;
  count: number;
}

/** In the order of their keys: two processes must not wait for each other in a circle. */
export async function addCallCounts(db: Knex, counts: readonly CallCount[]): Promise<void> {
  const added = tableOf('added', counts, {
    hour: ['timestamptz', ({ hour }) => hour.toISOString()],
    operation: 'text',
    outcome: 'text',
    n: ['bigint', ({ count }) => count],
  });
  await run(db)`
    INSERT INTO service_call_counts AS counts (hour, operation, outcome, count)
    SELECT hour, operation, outcome, n FROM ${added} ORDER BY hour, operation, outcome
    ON CONFLICT (hour, operation, outcome) DO UPDATE SET count = counts.count + excluded.count`;
}
