import { transactionFields } from '../../domain/balances/transaction-row.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import type { Json, JsonObject } from '../../domain/json.js';
import { isSignedAmount, normalizeAmount } from '../../domain/money.js';
import type { Observation, ObservationSource } from '../../domain/observation.js';
import { textField } from '../../domain/records.js';
import { instantText } from '../../domain/service-time.js';
import {
  countTransactionsRead,
  feedWindows,
  type KnownTransaction,
  pauseInTransactions,
  replaceFeedWindows,
  transactionsRead,
  transactionsReadBetween,
} from '../../records/balances/transaction-rows.js';
import { autoResolveBreaks, type NewBreak, openBreaks } from '../../records/breaks/breaks.js';
import { openEvidence } from '../../records/breaks/list-breaks.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import { NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import type { RunContext } from '../deps.js';
import { ask } from '../service-reader.js';
import { saveContext, saveFenced, writeFenced } from '../write-fenced.js';
import { EDGE_MS, type FeedRow, type FeedStore, merged, type Window } from './feed.js';
import { itemsOf, readRows } from './read-feed.js';

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

interface ReadRows {
  rows: readonly FeedRow[];
  from: number;
  to: number;
}

/** A booked transaction that is shown with other content is taken as it is now, and a break until it is as it was. */
async function saveTransactions(run: RunContext, { rows, from, to }: ReadRows): Promise<void> {
  const { deps, source } = run;
  if (rows.length === 0) return;
  const polls = rows.map(({ id, fields }): Observation => {
    return { type: 'poll', kind: 'transaction', id, from, to, source, fields };
  });
  await writeFenced({ ...deps, ...run }, async (trx) => {
    const before = await transactionsRead(
      trx,
      rows.map(({ id }) => id),
    );
    const saved = await saveObservations(trx, polls, saveContext(deps));
    const shown = new Map(rows.map(({ id, fields }) => [id, fields]));
    const recent = before.filter(({ createdAt }) => createdAt === null || createdAt >= deps.adoptedAt.getTime());
    const mismatches = recent.flatMap(({ id, fields }) =>
      mismatchOf({ id, ours: fields, theirs: shown.get(id) ?? {} }, source),
    );
    const open = await openEvidence(trx, 'transaction_mismatch', 'transaction', [...shown.keys()]);
    const back = [...open].filter(([id, evidence]) => isAsItWas(evidence, shown.get(id) ?? {}));
    await autoResolveBreaks(
      trx,
      back.map(([id]) => ({ kind: 'transaction_mismatch', entity: { kind: 'transaction', id } })),
    );
    const isBack = new Set(back.map(([id]) => id));
    const opened = await openBreaks(
      trx,
      mismatches.filter(({ entity }) => !isBack.has(entity.id)),
    );
    return { changed: saved.changed, breaksOpened: saved.breaksOpened + opened };
  });
}

function mismatchOf(
  { id, ours, theirs }: { id: string; ours: JsonObject; theirs: JsonObject },
  source: ObservationSource,
): NewBreak[] {
  const names = transactionFields.filter((name) => plain(name, ours[name]) !== plain(name, theirs[name]));
  if (names.length === 0) return [];
  const of = (fields: JsonObject): JsonObject => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return [
    {
      kind: 'transaction_mismatch',
      entity: { kind: 'transaction', id },
      evidence: {
        rule: 'a booked transaction does not change',
        ours: { ...of(ours), source: 'read before' },
        theirs: { ...of(theirs), source: { ...source } },
      },
    },
  ];
}

function isAsItWas(evidence: JsonObject, shown: JsonObject): boolean {
  const ours = evidence['ours'];
  if (typeof ours !== 'object' || ours === null || Array.isArray(ours)) return false;
  const before = ours as JsonObject;
  const names = transactionFields.filter((name) => Object.hasOwn(before, name));
  return names.every((name) => plain(name, before[name]) === plain(name, shown[name]));
}

/** One text for one meaning: "1.50" is "1.5", and a time with or without its zone is the same. */
function plain(name: string, value: Json | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (name === 'createdAt') return instantText(value) ?? canonicalJson(value);
  return isSignedAmount(value) ? normalizeAmount(value) : canonicalJson(value);
}
