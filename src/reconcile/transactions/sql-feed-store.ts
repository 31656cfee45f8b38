import type { JsonObject } from '../../domain/json.js';
import type { Observation } from '../../domain/observation.js';
import { textField } from '../../domain/records.js';
import {
  countTransactionsRead,
  feedWindows,
  type KnownTransaction,
  pauseInTransactions,
  replaceFeedWindows,
  transactionsRead,
  transactionsReadBetween,
} from '../../records/balances/transaction-rows.js';
import { NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import type { RunContext } from '../deps.js';
import { ask } from '../service-reader.js';
import { saveFenced, writeFenced } from '../write-fenced.js';
import { EDGE_MS, type FeedStore, merged, type Window } from './feed.js';
import { itemsOf, readRows } from './read-feed.js';
import { saveTransactions } from './save-transactions.js';

/** The transactions in Postgres. Every write is one fenced transaction; of a dry run all are rolled back. */
export function createFeedStore(run: RunContext): FeedStore {
  const { deps, tally, fence, source } = run;
  const { db } = deps;
  /** A dry run saves a row once: what it wrote is undone, and would count as a change again. */
  const dryRunIds = new Set<string>();
  const budget = { calls: MOST_CALLS };

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
      const { from, to } = asked;
      await saveFenced(
        run,
        absent.map((id): Observation => ({ type: 'absence', kind: 'transaction', id, from, to, source })),
      );
      return { doubtful };
    },
    covered: async () => ({
      counted: await feedWindows(db, 'counted'),
      read_twice: await feedWindows(db, 'read_twice'),
    }),
    cover: (window: Window, proof) =>
      writeFenced({ ...deps, ...run }, async (trx) => {
        const { whole, absorbed } = merged(window, await feedWindows(trx, proof));
        await replaceFeedWindows(trx, proof, whole, absorbed);
      }),
  };
}

const operation = 'listAccountTransactions';
const TAKE = 100;
const MOST_PAGES = 20;
/** Calls of one run for this, whatever is missing: a feed that forgets a part of its rows keeps them all in doubt. */
const MOST_CALLS = 60;

interface SettlingBudget {
  calls: number;
}

/** Held against the list of their own account (4.11): shown there, the feed is in doubt. `absent`: shown in neither. */
async function settleMissing(
  run: RunContext,
  ids: readonly string[],
  budget: SettlingBudget,
): Promise<{ absent: string[]; doubtful: number }> {
  const known = await transactionsRead(run.deps.db, ids);
  const accounts = [...new Set(known.map(({ accountId }) => accountId))];
  const absent: string[] = [];
  let doubtful = 0;
  for (const account of accounts) {
    const rows = known.filter(({ accountId }) => accountId === account);
    const found = await readAccount(run, account, rows, budget);
    doubtful += rows.filter(({ id }) => found === null || found.has(id)).length;
    absent.push(...rows.flatMap(({ id }) => (found === null || found.has(id) ? [] : [id])));
  }
  return { absent, doubtful };
}

/** Down to the oldest of these rows; null where the list does not end. An account that is not known shows none. */
async function readAccount(
  run: RunContext,
  account: string | null,
  until: readonly KnownTransaction[],
  budget: SettlingBudget,
): Promise<Set<string> | null> {
  const oldest = Math.min(...until.map(({ createdAt }) => createdAt ?? Number.NEGATIVE_INFINITY));
  const shown = new Set<string>();
  if (account === null) return shown;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    if (budget.calls <= 0) return null;
    budget.calls -= 1;
    const read = await readPage(run, account, cursor);
    if (read === 'unknown') return shown;
    if (read === null || read.flaw !== null) return null;
    await saveTransactions(run, read);
    const news = read.rows.filter(({ id }) => !shown.has(id));
    for (const { id } of news) shown.add(id);
    if (read.items === 0 || news.some(({ createdAt }) => createdAt < oldest - 1_000)) return shown;
    if (news.length === 0) return null;
    cursor = read.next;
    if (cursor === undefined) return shown;
  }
  return null;
}

async function readPage(run: RunContext, account: string, cursor: string | undefined) {
  const query = { take: TAKE, ...(cursor === undefined ? {} : { cursor }) };
  try {
    const { data, from, to } = await ask(run, operation, { path: { id: account }, query });
    const items = itemsOf(data, operation);
    const { rows, flaw } = readRows(items, run.deps.contract.transaction, null);
    const own = typeof data === 'object' && data !== null && 'nextCursor' in data ? data['nextCursor'] : undefined;
    const next = own === undefined ? rows.at(-1)?.id : typeof own === 'string' ? own : undefined;
    return { rows: rows.map((row) => withAccount(row, account)), flaw, items: items.length, from, to, next };
  } catch (error) {
    if (error instanceof NotFoundError && cursor === undefined) return 'unknown';
    if (error instanceof NotFoundError) return null;
    if (error instanceof RefusedError && cursor !== undefined) return null;
    throw error;
  }
}

/** The list of one account may leave out whose it is. */
function withAccount<R extends { fields: JsonObject }>(row: R, account: string): R {
  return textField(row.fields, 'accountId') === null ? { ...row, fields: { ...row.fields, accountId: account } } : row;
}
