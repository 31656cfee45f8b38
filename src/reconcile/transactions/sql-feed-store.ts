import type { Observation } from '../../domain/observation.js';
import {
  countTransactionsRead,
  feedWindows,
  pauseInTransactions,
  replaceFeedWindows,
  transactionsReadBetween,
} from '../../records/balances/transaction-rows.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import type { RunContext } from '../deps.js';
import { NOTHING, writeFenced } from '../write-fenced.js';
import type { FeedStore, Window } from './feed.js';
import { saveTransactions } from './save-transactions.js';
import { settleMissing, settlingBudget } from './settle-missing.js';
import { EDGE_MS, merged } from './windows.js';

/** The transactions in Postgres. Every write is one fenced transaction; of a dry run all are rolled back. */
export function createFeedStore(run: RunContext): FeedStore {
  const { deps, tally, fence, source } = run;
  const { db, now, adoptedAt } = deps;
  const writing = { db, now, tally, fence };
  /** A dry run saves a row once: what it wrote is undone, and would count as a change again. */
  const dryRunIds = new Set<string>();
  const budget = settlingBudget();

  return {
    saveRows: async (page) => {
      const rows = fence.dryRun ? page.rows.filter(({ id }) => !dryRunIds.has(id)) : page.rows;
      for (const { id } of fence.dryRun ? rows : []) dryRunIds.add(id);
      tally.seen += rows.length;
      await saveTransactions(run, { ...page, rows });
    },
    readBetween: (window) => transactionsReadBetween(db, window),
    countBetween: (window) => countTransactionsRead(db, window),
    middle: (window) => pauseInTransactions(db, window, 4 * EDGE_MS),
    saveMissing: async (ids, asked) => {
      const { absent, doubtful } = await settleMissing(run, ids, budget);
      const absences = absent.map((id): Observation => {
        return { type: 'absence', kind: 'transaction', id, from: asked.from, to: asked.to, source };
      });
      if (absences.length === 0) return { doubtful };
      await writeFenced(writing, async (trx) => {
        const saved = await saveObservations(trx, absences, { now: now(), adoptedAt });
        return { changed: saved.changed, breaksOpened: saved.breaksOpened };
      });
      return { doubtful };
    },
    covered: async () => ({
      counted: await feedWindows(db, 'counted'),
      read_twice: await feedWindows(db, 'read_twice'),
    }),
    cover: (window: Window, proof) =>
      writeFenced(writing, async (trx) => {
        const { whole, absorbed } = merged(window, await feedWindows(trx, proof));
        await replaceFeedWindows(trx, proof, whole, absorbed);
        return NOTHING;
      }),
  };
}
