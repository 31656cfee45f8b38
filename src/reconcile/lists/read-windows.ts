import { keepPage, type ListPoll } from './list-poll.js';
import { isNewer, type Place } from './list-row.js';
import type { Absence } from './list-store.js';
import { type ScanOptions, scanList } from './scan-list.js';
import { covers, inexactnessOf, lowerEnd, SETTLE_MS, upperEnd } from './span.js';

/** Fewer listed records above than this: the window begins at the head, and shows what is new there too. */
const NEAR_HEAD = 80;
/** So many of the records next above are stepping stones to begin the window on. */
const STONES = 16;
const FIRM_STONES = 4;
const PAGES_PER_WINDOW = 25;

export interface WindowLimits {
  /** These are searched for at the head alone, wherever they say that they stand. */
  headOnly?: ReadonlySet<string>;
  pagesPerWindow?: number;
  /** Asked before each window; where it says no, the rest is undecided. */
  mayGoOn?: () => boolean;
}

export interface Searched {
  found: Set<string>;
  /** Each one missing where the list provably would have shown it. */
  missing: Map<string, Absence>;
  /** Nothing was proven of them. */
  undecided: Place[];
}

/**
 * Polls single records: there is no GET by id (specification 4.14), so a page is read from the record next above
 * in our own books; it shows up to 100, and so answers for the neighbours too. Records of unknown `createdAt` are
 * searched for at the head alone, and never found missing.
 */
export async function readWindows(
  poll: ListPoll,
  targets: readonly Place[],
  { headOnly, pagesPerWindow = PAGES_PER_WINDOW, mayGoOn = () => true }: WindowLimits = {},
): Promise<Searched> {
  const isAtHead = (place: Place): boolean => place.createdAt === null || headOnly?.has(place.id) === true;
  const pending = new Map(newestFirst(targets).map((place) => [place.id, place]));
  const searched: Searched = { found: new Set(), missing: new Map(), undecided: [] };
  let headRead = false;
  for (;;) {
    const target = [...pending.values()].find((place) => !isAtHead(place) || !headRead);
    if (target === undefined || !mayGoOn()) break;
    const isDeep = !isAtHead(target);
    const trail = isDeep ? await stonesAbove(poll, target) : [];
    headRead ||= trail.length === 0;
    await readWindow(poll, { target, trail, maxPages: isDeep ? pagesPerWindow : 1, isDeep, pending, searched });
    if (isDeep && pending.delete(target.id)) searched.undecided.push(target);
  }
  searched.undecided.push(...pending.values());
  return searched;
}

async function stonesAbove(poll: ListPoll, target: Place): Promise<Place[]> {
  if (target.createdAt === null) return [];
  const above = await poll.store.listedFrom(target.createdAt + inexactnessOf(target) + 1, NEAR_HEAD);
  return above.length < NEAR_HEAD ? [] : (usable(above.slice(-STONES)) ?? usable(above) ?? ofLastMoment(above));
}

/** Null where nearly all stones share the moment of the last: the scan goes by those that are newer for certain. */
function usable(stones: Place[]): Place[] | null {
  return stones.length - ofLastMoment(stones).length < FIRM_STONES ? null : stones;
}

/** No stone is newer than another for certain: the scan takes their order on trust. */
function ofLastMoment(stones: Place[]): Place[] {
  const last = stones.at(-1);
  return stones.filter((stone) => last !== undefined && !isNewer(stone, last));
}

async function readWindow(
  poll: ListPoll,
  window: {
    target: Place;
    trail: Place[];
    maxPages: number;
    isDeep: boolean;
    pending: Map<string, Place>;
    searched: Searched;
  },
): Promise<void> {
  const { target, trail, maxPages, isDeep, pending, searched } = window;
  let top: { before: number; from: number } | null = null;
  const options: ScanOptions = {
    bound: !isDeep || target.createdAt === null ? null : { createdAt: target.createdAt - inexactnessOf(target) },
    trail,
    expectsRows: () => poll.store.holdsListed(),
    maxPages,
    enough: () => searched.found.has(target.id),
    signal: poll.signal,
  };
  await scanList(poll.read, options, async (page) => {
    await keepPage(poll, page);
    for (const { id } of page.rows) {
      if (pending.delete(id)) searched.found.add(id);
      searched.missing.delete(id);
    }
    if (!page.contiguous) return;
    if (top === null || page.above === null) top = { before: upperEnd(page), from: page.from };
    const span = { after: lowerEnd(page), before: top.before, settled: top.from - SETTLE_MS };
    for (const place of [...pending.values()].filter((place) => covers(span, place))) {
      pending.delete(place.id);
      searched.missing.set(place.id, { id: place.id, from: top.from, to: page.to });
    }
  });
}

/** Those of unknown place first: the head that they ask for answers for its neighbours too. */
function newestFirst(places: readonly Place[]): Place[] {
  return places.toSorted(
    (a, b) => (b.createdAt ?? Number.POSITIVE_INFINITY) - (a.createdAt ?? Number.POSITIVE_INFINITY),
  );
}
