import type { IdCodec } from '../base/ids.js';
import type { Intent, IntentStatus, Links } from './intent.js';
import { assetNumber, createIntentIndex, flagsOf, type IntentIndex } from './intent-index.js';
import { type IntentPage, readPage } from './intent-page.js';

/**
 * Past payments are not kept: each is made again from its position whenever it is asked for, and kept once it changes.
 * Only the two bytes that lists filter by stay in memory for all of them.
 */
export interface History {
  count: number;
  /** `flagsOf` and `assetNumber` of the intent, without making it. */
  sketch(position: number): { flags: number; asset: number };
  links(position: number): Links;
  intent(position: number): Intent;
}

/** Judges an intent by its flags (intent-index.ts) and its position. */
type Fits = (flags: number, position: number) => boolean;

export interface IntentStore {
  size(): number;
  /** How many of them were there at the start: they have the lowest positions. */
  pastCount(): number;
  add(make: (id: string, position: number) => Intent): Intent;
  /** For reading only. */
  read(id: string): Intent | null;
  at(position: number): Intent | null;
  /** For changing; call `saved` afterwards. */
  edit(id: string): Intent | null;
  saved(intent: Intent): void;
  /** The row is in no list any more. */
  remove(id: string): boolean;
  withStatus(status: IntentStatus): Intent[];
  /** Those of the past whose flags (intent-index.ts) and position fit, oldest first; only these are made. */
  pastWhere(fits: Fits): Iterable<Intent>;
  /** How many these are, without making any. */
  countPast(fits: Fits): number;
  /** Newest first; null for a cursor that is refused. */
  page(query: IntentPage): Intent[] | null;
}

export function createIntentStore({ ids, history }: { ids: IdCodec; history: History }): IntentStore {
  const kept = new Map<number, Intent>();
  const index = createIntentIndex(history.count);
  for (let position = 0; position < history.count; position += 1) {
    const { flags, asset } = history.sketch(position);
    index.set(index.grow(), flags, asset);
  }

  const make = (position: number): Intent | null =>
    kept.get(position) ?? (position < history.count ? history.intent(position) : null);
  const at = (position: number): Intent | null => (index.isRemoved(position) ? null : make(position));
  const links = (position: number): Links => kept.get(position) ?? history.links(position);
  const positionOf = (id: string): number | null => {
    const position = ids.decode(id);
    return position === null || position >= index.size() ? null : position;
  };
  const read = (id: string): Intent | null => at(positionOf(id) ?? Number.POSITIVE_INFINITY);
  const saved = (intent: Intent): void => {
    if (!index.isRemoved(intent.position)) index.set(intent.position, flagsOf(intent), assetNumber(intent.assetCode));
  };

  const pageDeps = { index, positionOf, at, links };

  return {
    size: () => index.size(),
    pastCount: () => history.count,
    at,
    read,
    saved,
    add(build) {
      const position = index.grow();
      const intent = build(ids.encode(position), position);
      kept.set(position, intent);
      saved(intent);
      return intent;
    },
    edit(id) {
      const intent = read(id);
      if (intent) kept.set(intent.position, intent);
      return intent;
    },
    remove(id) {
      const intent = read(id);
      if (!intent) return false;
      index.remove(intent.position);
      kept.delete(intent.position);
      return true;
    },
    countPast: (fits) => countWhere(index, history.count, fits),
    *pastWhere(fits) {
      for (const position of positionsWhere(index, history.count, fits)) {
        const intent = at(position);
        if (intent) yield intent;
      }
    },
    withStatus: (status) => readPage({ ...WHOLE_LIST, filter: { status } }, pageDeps) ?? [],
    page: (query) => readPage(query, pageDeps),
  };
}

function* positionsWhere(index: IntentIndex, count: number, fits: Fits): Generator<number> {
  for (let position = 0; position < count; position += 1) {
    if (fits(index.flags(position), position)) yield position;
  }
}

function countWhere(index: IntentIndex, count: number, fits: Fits): number {
  let found = 0;
  for (const _ of positionsWhere(index, count, fits)) found += 1;
  return found;
}

const WHOLE_LIST = { take: Number.POSITIVE_INFINITY, cursor: null, semantics: 'key' } as const;
