import type { PageQuery, PageReader } from '../service-reader.js';
import { isNewer, type ListRow, type Place, type ReadRows, readRows } from './list-row.js';

/** The most that the service gives at once (specification section 8). */
const LARGEST_PAGE = 100;
/** A head page this short is the whole list, even where the service ignores `take` (its default is 20). */
export const SURELY_SHORT = 20;
/** So many rows of the trail are kept to step back on. */
const LONGEST_TRAIL = 300;
/** So many answers in a row without a new row, and the scan is going in circles. */
const MOST_IDLE = 40;
/** So often a scan may lose its place altogether and begin again at the head. */
const MAX_RESTARTS = 5;

export type Incomplete =
  | NonNullable<ReadRows['flaw']>
  | 'stopped'
  | 'page_limit'
  | 'no_progress'
  | 'lost_place'
  | 'empty_list';

/** How far to go: below rows created before this moment (ms), or where that is not known, to the row with this id. */
export interface Bound {
  createdAt: number | null;
  id?: string;
}

export interface ScanOptions {
  status?: string;
  /** Null: to the end of the list. */
  bound: Bound | null;
  /** Go on below these rows, which are known to stand in the list without a gap, newest first. Empty: from the head. */
  trail?: readonly Place[];
  /** Asked when the head is empty: whether that can't be true, and so proves nothing. */
  expectsRows?: () => Promise<boolean>;
  maxPages?: number;
  /** Asked after each page: what was searched for is found, the rest need not be read. */
  enough?: () => boolean;
  signal?: AbortSignal | undefined;
}

/** One answer of the service during a scan. Everything in `rows` was read; the rest says what it proves. */
export interface ScanPage {
  rows: ListRow[];
  /** So many of them did not come up in the pages just before. */
  fresh: number;
  from: number;
  to: number;
  /** `chain` follows on `above` in the list without a gap. False: the place was lost, the scan asks again. */
  contiguous: boolean;
  /** Null: `chain` begins at the head of the list. */
  above: Place | null;
  chain: ListRow[];
  /** Nothing stands below `chain`. */
  atEnd: boolean;
  /** The scan is complete with this page. */
  done: boolean;
}

/**
 * The proof of a scan. `complete`: each row that stood in the list, down to the bound, from `from` to `to` without
 * moving in or out, was among the pages. `to` and `from` in ms of the service's clock.
 */
export interface Scan {
  complete: boolean;
  reason: Incomplete | null;
  from: number;
  to: number;
  calls: number;
  seen: number;
  /** Complete, down to the end of the list. */
  atEnd: boolean;
  fromHead: boolean;
  /** Rows of one millisecond filled a page: that the service keeps them in one order was taken on trust. */
  trustedOrder: boolean;
}

/**
 * Reads a list, newest first, while rows are inserted, leave the filter and vanish (specification 4, cursor
 * pagination). Works where the service looks the cursor's row up, and where it only compares with its key. Ends
 * incomplete, never complete, where the answers don't prove that nothing was skipped. Errors of `read` and of `onPage`
 * pass through.
 */
export async function scanList(
  read: PageReader,
  options: ScanOptions,
  onPage: (page: ScanPage) => Promise<void>,
): Promise<Scan> {
  const state = begin(options);
  while (state.scan.calls < (options.maxPages ?? 100_000)) {
    options.signal?.throwIfAborted();
    const { cursor, anchors, onTrust } = overlapCursor(state.trail, state.stepBack, state.trustOrder);
    if (cursor === null && !mayStartAtHead(state)) return end(state, 'lost_place');
    const { data, from, to, more = false } = await read(queryOf(options, cursor));
    const { rows, flaw } = readRows(data);
    const fresh = count(state, { rows, from, to });
    const page = joinAnswer(state, {
      rows,
      fresh,
      from,
      to,
      more,
      anchors,
      fromHead: cursor === null,
      bound: options.bound,
    });
    const empty = page.atEnd && page.above === null && rows.length === 0;
    const doubtful = empty && (await options.expectsRows?.());
    state.scan.trustedOrder ||= onTrust && page.contiguous && !page.atEnd;
    const usable = flaw === null && !doubtful;
    await onPage(usable ? page : { ...page, contiguous: false, done: false, atEnd: false });
    if (flaw !== null || doubtful) return end(state, flaw ?? 'empty_list');
    if (page.done) return { ...state.scan, complete: true, atEnd: page.atEnd };
    if (options.enough?.()) return end(state, 'stopped');
    if (state.idle >= MOST_IDLE) return end(state, 'no_progress');
  }
  return end(state, 'page_limit');
}

interface ScanState {
  scan: Scan;
  trail: Place[];
  /** Ids met lately, to distinguish progress from repetition. */
  recent: Set<string>;
  stepBack: number;
  /** The answers don't reach beyond the rows of one millisecond. */
  trustOrder: boolean;
  idle: number;
  /** How often it began at the head. */
  starts: number;
  /** The longest answer so far: a shorter one may be the end. */
  longest: number;
}

function begin(options: ScanOptions): ScanState {
  const trail = [...(options.trail ?? [])];
  return {
    scan: {
      complete: false,
      reason: null,
      from: 0,
      to: 0,
      calls: 0,
      seen: 0,
      atEnd: false,
      fromHead: trail.length === 0,
      trustedOrder: false,
    },
    trail,
    recent: new Set(trail.map((place) => place.id)),
    stepBack: 0,
    trustOrder: false,
    idle: 0,
    starts: 0,
    longest: 0,
  };
}

function mayStartAtHead(state: ScanState): boolean {
  if (!state.scan.fromHead) return false;
  state.starts += 1;
  return state.starts <= 1 + MAX_RESTARTS;
}

function queryOf(options: ScanOptions, cursor: string | null): PageQuery {
  return {
    take: LARGEST_PAGE,
    ...(cursor === null ? {} : { cursor }),
    ...(options.status === undefined ? {} : { status: options.status }),
  };
}

function count(state: ScanState, answer: { rows: ListRow[]; from: number; to: number }): number {
  const { scan, recent } = state;
  const fresh = answer.rows.filter((row) => !recent.has(row.id));
  if (scan.from === 0) scan.from = answer.from;
  scan.to = Math.max(scan.to, answer.to);
  scan.calls += 1;
  scan.seen += fresh.length;
  state.idle = fresh.length > 0 ? 0 : state.idle + 1;
  if (recent.size > 4 * LONGEST_TRAIL) recent.clear();
  for (const row of [...state.trail, ...answer.rows]) recent.add(row.id);
  return fresh.length;
}

/** Joins an answer to the trail, or steps back where it does not follow on. */
function joinAnswer(
  state: ScanState,
  answer: Pick<ScanPage, 'rows' | 'fresh' | 'from' | 'to'> & {
    more: boolean;
    anchors: ReadonlySet<string>;
    fromHead: boolean;
    bound: Bound | null;
  },
): ScanPage {
  const { rows, fresh, from, to } = answer;
  const at = answer.fromHead ? -1 : rows.findIndex((row) => answer.anchors.has(row.id));
  if (at < 0 && !answer.fromHead) {
    state.stepBack += 1;
    return { rows, fresh, from, to, contiguous: false, above: null, chain: [], atEnd: false, done: false };
  }
  const above = at < 0 ? null : (rows[at] ?? null);
  const chain = rows.slice(at + 1);
  const known = new Set(state.trail.map((place) => place.id));
  const lastAt = state.trail.at(-1)?.createdAt;
  const stuck = chain.every((row) => known.has(row.id));
  const isLast = answer.fromHead ? rows.length < SURELY_SHORT : stuck && isShort(rows, state);
  const atEnd = isLast && !answer.more;
  const kept = above === null ? [] : state.trail.slice(0, state.trail.findIndex((place) => place.id === above.id) + 1);
  state.trail = [...kept, ...chain.map(({ id, createdAt }) => ({ id, createdAt }))].slice(-LONGEST_TRAIL);
  state.stepBack = 0;
  const sameMoment = state.trustOrder && state.trail.at(-1)?.createdAt === lastAt;
  // A head of hardly more than one moment leaves no row to begin the next answer with.
  const isCrowded = answer.fromHead && chain.length > 1 && overlapCursor(state.trail, 0, false).cursor === null;
  state.trustOrder = !atEnd && (answer.fromHead ? isCrowded : stuck || sameMoment);
  state.longest = Math.max(state.longest, rows.length);
  const done = atEnd || chain.some((row) => isBelow(row, answer.bound));
  return { rows, fresh, from, to, contiguous: true, above, chain, atEnd, done };
}

/** No answer of a service that had more to show, going by the answers before. */
function isShort(rows: readonly ListRow[], { longest, trail }: ScanState): boolean {
  return rows.length < longest || (rows.length < SURELY_SHORT && rows.at(-1)?.id === trail.at(-1)?.id);
}

function isBelow(row: ListRow, bound: Bound | null): boolean {
  if (bound === null) return false;
  if (bound.createdAt === null) return row.id === bound.id;
  return row.createdAt !== null && row.createdAt < bound.createdAt;
}

const end = (state: ScanState, reason: Incomplete): Scan => ({ ...state.scan, reason });

/** What to ask for next, so that the answer shows by itself whether it follows on without a gap. */
interface Overlap {
  /** Null: from the head. */
  cursor: string | null;
  /** The answer follows on if it holds one of these. */
  anchors: ReadonlySet<string>;
  /** It only does so if the service keeps rows of one moment in one order. */
  onTrust: boolean;
}

/**
 * `trail` is the part read so far, without a gap, newest first. An answer that begins with a row of the trail has
 * skipped nothing, whatever became of the cursor's own row: a service that looks the cursor up skips a row when that
 * row left the filter, and answers an empty page when it is gone. The anchors are strictly newer than the trail's end,
 * because rows of equal `createdAt` may come in another order, or fall out altogether, next time.
 *
 * Each `stepBack` goes twice as far up the trail, in the end to the head. `trustOrder`: the rows of one millisecond fill
 * a page, so there is no way but to take their order for stable.
 */
export function overlapCursor(trail: readonly Place[], stepBack: number, trustOrder: boolean): Overlap {
  const firm = trustOrder ? trail.length - 1 : firmEnd(trail);
  const cursor = trail[firm - 2 ** stepBack]?.id ?? null;
  const anchors = new Set(trail.slice(0, firm + 1).map((place) => place.id));
  return { cursor, anchors, onTrust: cursor !== null && firm === trail.length - 1 };
}

/** Index of the oldest row that is strictly newer than the last. */
function firmEnd(trail: readonly Place[]): number {
  const last = trail.at(-1);
  const firm = last === undefined ? -1 : trail.findLastIndex((place) => isNewer(place, last));
  return firm < 0 ? trail.length - 1 : firm;
}
