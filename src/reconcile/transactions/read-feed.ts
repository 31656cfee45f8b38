import { transactionFieldsOf } from '../../domain/balances/transaction-row.js';
import { isoTime } from '../../domain/in-words.js';
import type { Json } from '../../domain/json.js';
import { ownText } from '../../domain/plain-text.js';
import { textField } from '../../domain/records.js';
import { momentOf } from '../../domain/service-time.js';
import { ContractViolationError } from '../../service-api/service-errors.js';
import type { RunContext } from '../deps.js';
import { ask, listedIn } from '../service-reader.js';
import { EDGE_MS, type FeedFlaw, type FeedPage, type FeedRow, type ReadFeed, type Window } from './feed.js';

const TAKE = 100;
const operation = 'listTransactions';

export function createFeedReader(run: Pick<RunContext, 'deps' | 'tally' | 'signal'>): ReadFeed {
  return async (window, page) => {
    const query = { from: isoTime(window.from), to: isoTime(window.to), page, take: TAKE };
    const { data, from, to, totalCount: total = null } = await ask(run, operation, { query });
    const items = itemsOf(data, operation);
    return { ...readRows(items, run.deps.contract.transaction, window), items: items.length, total, from, to };
  };
}

export function itemsOf(data: Json, operation: string): Json[] {
  const listed = listedIn(data);
  if (listed !== undefined) return listed;
  throw new ContractViolationError('the answer is neither an array nor an object with "items"', { operation });
}

/** Each item of use once. A page with a flaw proves nothing, but what can be read of it is kept. */
export function readRows(
  items: readonly Json[],
  pointers: Readonly<Record<string, string>>,
  window: Window | null,
): Pick<FeedPage, 'rows' | 'flaw'> {
  const rows = new Map<string, FeedRow>();
  let flaw: FeedFlaw | null = null;
  let isDouble = false;
  for (const item of items) {
    const fields = transactionFieldsOf(item, pointers);
    const id = textField(fields, 'id');
    const createdAt = momentOf(textField(fields, 'createdAt') ?? undefined);
    if (id === null || id === '') flaw ??= 'item_without_id';
    else if (createdAt === null) flaw ??= 'item_without_time';
    else if (rows.has(id)) isDouble = true;
    else {
      if (window !== null && !(createdAt >= window.from - EDGE_MS && createdAt <= window.to + EDGE_MS))
        flaw ??= 'outside_window';
      rows.set(id, { id: ownText(id), createdAt, fields });
    }
  }
  return { rows: [...rows.values()], flaw: flaw ?? (isDouble ? 'duplicate_in_page' : null) };
}
