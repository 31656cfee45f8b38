import type { Watermark } from '../../records/runs/watermarks.js';
import type { ReadingOptions } from '../deps.js';
import { isDue } from './is-due.js';
import type { ListReading } from './list-reading.js';
import type { Gap } from './list-store.js';
import type { HeadReading } from './read-head.js';
import { scanGap } from './scan-gap.js';
import type { Bound, Scan } from './scan-list.js';
import { CLOCKS_APART_MS } from './span.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A tick reads no more than this of a rescan; the next one goes on. */
const PAGES_PER_TICK = 1_000;
/** A record that only an event spoke of calls for a reading of the whole list; it may cost a hundredth of the rate. */
const REST_MS_PER_CALL = 20_000;
const LEAST_REST_MS = 10 * 60_000;

/** How often everything younger than an age is read again, whatever its state. The widest first. */
const rescans = [
  { name: 'sweep:all', ageMs: Number.POSITIVE_INFINITY, everyMs: 7 * DAY_MS },
  { name: 'sweep:90d', ageMs: 90 * DAY_MS, everyMs: DAY_MS },
  { name: 'sweep:7d', ageMs: 7 * DAY_MS, everyMs: HOUR_MS },
] as const;
const fullRescan = rescans[0];

export interface Rescan {
  name: string;
  /** Null: nothing was due. */
  scan: Scan | null;
  /** Not finished, and meant to be gone on with by the next tick. */
  continues: boolean;
  /** The whole list was read: what was in it from the first moment on was met. Ms of the service's clock. */
  whole: { from: number; to: number } | null;
  watermarks: Map<string, Watermark>;
}

/** Step 5: everything again, the younger the more often, for what no list of open states shows. */
export async function rescan(
  reading: ListReading,
  known: ReadonlyMap<string, Watermark>,
  options: ReadingOptions & { head: HeadReading },
): Promise<Rescan> {
  const now = reading.now();
  const { whole, continues } = options.head;
  if (whole !== null && (whole.inOne || options.resume || !options.full)) {
    const calls = await callsForAll(reading);
    const watermarks = marksOf(0, whole.at, calls);
    return { name: fullRescan.name, scan: null, continues: false, whole, watermarks };
  }
  if (continues && !options.full && options.since === null) return NOTHING_DUE;
  const due = await dueRescan(reading, known, { ...options, now });
  if (due === null) return NOTHING_DUE;
  const { gap, resumed } = await gapOf(reading, due, options);
  const byHand = options.full || options.since !== null;
  const limit = byHand ? (options.pages ?? Number.POSITIVE_INFINITY) : PAGES_PER_TICK;
  const scan = await scanGap(reading, gap, { bound: due.bound, maxPages: limit });
  const begun = resumed ? gap.openedAt : now;
  const rank = rescans.findIndex(({ name }) => name === due.name);
  return {
    name: due.name,
    scan,
    continues: scan.reason === 'page_limit',
    whole:
      scan.complete && due.bound === null
        ? { from: resumed ? gap.openedAt - CLOCKS_APART_MS : scan.from, to: scan.to }
        : null,
    watermarks:
      scan.complete && rank >= 0
        ? marksOf(rank, begun, due.bound === null ? await callsForAll(reading) : 0)
        : new Map(),
  };
}

const NOTHING_DUE: Rescan = { name: 'none', scan: null, continues: false, whole: null, watermarks: new Map() };

interface DueRescan {
  name: string;
  bound: Bound | null;
  everyMs: number;
}

async function dueRescan(
  reading: ListReading,
  known: ReadonlyMap<string, Watermark>,
  options: ReadingOptions & { now: number },
): Promise<DueRescan | null> {
  const { now } = options;
  if (options.full) return { ...fullRescan, bound: null };
  if (options.since !== null) return { name: 'sweep:since', bound: { createdAt: options.since }, everyMs: 0 };
  for (const rescan of rescans) {
    const mark = known.get(rescan.name);
    const bound = Number.isFinite(rescan.ageMs) ? { createdAt: now - rescan.ageMs } : null;
    if (isDue(mark, rescan.everyMs, now)) return { ...rescan, bound };
    const rest = Math.max(LEAST_REST_MS, Number(mark?.['calls'] ?? 0) * REST_MS_PER_CALL);
    if (bound === null && isDue(mark, rest, now) && (await reading.store.unplaced()).length > 0)
      return { ...rescan, bound };
  }
  return null;
}

/** The gap that an earlier tick left unfinished, or a new one. */
async function gapOf(
  reading: ListReading,
  due: DueRescan,
  options: ReadingOptions,
): Promise<{ gap: Gap; resumed: boolean }> {
  const left = (await reading.store.gaps()).filter(({ list }) => list === due.name);
  const fresh = left.find(({ movedAt }) => reading.now() - movedAt < due.everyMs);
  if (fresh !== undefined && (!options.full || options.resume)) return { gap: fresh, resumed: true };
  for (const { id } of left) await reading.store.closeGap(id);
  return { gap: await reading.store.openGap(due.name, null), resumed: false };
}

/** So many calls does it take to read the whole list. */
async function callsForAll(reading: ListReading): Promise<number> {
  return Math.ceil((await reading.store.countListed()) / 100);
}

/** A rescan stands for the narrower ones too. */
function marksOf(rank: number, at: number, calls: number): Map<string, Watermark> {
  return new Map(rescans.slice(rank).map(({ name }) => [name, { at, calls }]));
}
