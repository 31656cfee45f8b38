import type { Command } from 'commander';
import type { Knex } from 'knex';
import { minuteOf } from '../domain/in-words.js';
import { type RejectionView, rejectionShape } from '../domain/views/webhook-shapes.js';
import { listRejections, type ReasonCount, rejectionsByReason } from '../records/alerts/list-rejections.js';
import { moment } from './arguments.js';
import { listVerb, wordOption } from './list-verb.js';
import type { Columns } from './print.js';

const columns: Columns<RejectionView> = { id: 'id', at: 'rejectedAt', reason: 'reason', detail: 'detail' };

type Query = Parameters<typeof listRejections>[1];

export function define(command: Command): void {
  command.description('rejected requests: how many, and samples with what to do');
  // A sample is not the whole.
  const list = async (db: Knex, query: Query) => ({
    ...(await listRejections(db, query)),
    counts: await rejectionsByReason(db, new Date()),
  });
  const about = ({ counts, items }: { counts: readonly ReasonCount[]; items: readonly RejectionView[] }) => [
    ...counts.map(({ reason, day, week, firstAt, lastAt }) => {
      const when = `from ${minuteOf(firstAt.toISOString())} to ${minuteOf(lastAt.toISOString())} UTC`;
      return `${reason}: ${day} rejected in 24 hours, ${week} in 7 days, ${when}; listed are samples`;
    }),
    // Once, not beside each of its samples.
    ...new Set(items.map(({ reason, diagnosis }) => `${reason}: ${diagnosis}`)),
  ];
  listVerb(command, 'samples, newest first, how many there were, and what to do', { columns, list, about })
    .addOption(wordOption(rejectionShape, 'reason', 'why they were rejected'))
    .option('--since <time>', 'such as 24h or 2026-10-31', moment);
}
