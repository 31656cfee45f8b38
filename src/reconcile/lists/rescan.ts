import type { Watermark } from '../../records/runs/watermarks.js';
import type { PollOptions } from '../deps.js';
import type { ListPoll } from './list-poll.js';
import type { Gap } from './list-store.js';
import { type HeadScans, scanGap } from './scan-gap.js';
import type { Bound, Scan } from './scan-list.js';
import { CLOCKS_APART_MS, isDue } from './span.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A tick reads no more than this of a rescan; the next one goes on. */
const PAGES_PER_TICK = 1_000;
/** A record that only an event spoke of calls for a full scan; it may cost a hundredth of the rate. */
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
  poll: ListPoll,
  known: ReadonlyMap<string, Watermark>,
  options: PollOptions & { head: HeadScans },
): Promise<Rescan> {
  const now = poll.now();
  const { whole, continues } = options.head;
  if (whole !== null && (whole.inOne || options.resume || !options.full)) {
    const calls = await callsForAll(poll);
    const watermarks = watermarksOf(0, whole.at, calls);
    return { name: fullRescan.name, scan: null, continues: false, whole, watermarks };
  }
  if (continues && !options.full && options.since === null) return NOTHING_DUE;
  const due = await dueRescan(poll, known, { ...options, now });
  if (due === null) return NOTHING_DUE;
  const { gap, resumed } = await gapOf(poll, due, options);
  const byHand = options.full || options.since !== null;
  const limit = byHand ? (options.pages ?? Number.POSITIVE_INFINITY) : PAGES_PER_TICK;
  const scan = await scanGap(poll, gap, { bound: due.bound, maxPages: limit });
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
        ? watermarksOf(rank, begun, due.bound === null ? await callsForAll(poll) : 0)
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
  poll: ListPoll,
  known: ReadonlyMap<string, Watermark>,
  options: PollOptions & { now: number },
): Promise<DueRescan | null> {
  const { now } = options;
  if (options.full) return { ...fullRescan, bound: null };
  if (options.since !== null) return { name: 'sweep:since', bound: { createdAt: options.since }, everyMs: 0 };
  for (const rescan of rescans) {
    const watermark = known.get(rescan.name);
    const bound = Number.isFinite(rescan.ageMs) ? { createdAt: now - rescan.ageMs } : null;
    if (isDue(watermark, rescan.everyMs, now)) return { ...rescan, bound };
    const rest = Math.max(LEAST_REST_MS, Number(watermark?.['calls'] ?? 0) * REST_MS_PER_CALL);
    if (bound === null && isDue(watermark, rest, now) && (await poll.store.unplaced()).length > 0)
      return { ...rescan, bound };
  }
  return null;
}

/** The gap that an earlier tick left unfinished, or a new one. */
async function gapOf(poll: ListPoll, due: DueRescan, options: PollOptions): Promise<{ gap: Gap; resumed: boolean }> {
  const left = (await poll.store.gaps()).filter(({ list }) => list === due.name);
  const fresh = left.find(({ movedAt }) => poll.now() - movedAt < due.everyMs);
  if (fresh !== undefined && (!options.full || options.resume)) return { gap: fresh, resumed: true };
  for (const { id } of left) await poll.store.closeGap(id);
  return { gap: await poll.store.openGap(due.name, null), resumed: false };
}

/** So many calls does it take to read the whole list. */
const callsForAll = async (poll: ListPoll): Promise<number> => Math.ceil((await poll.store.countListed()) / 100);

/** A rescan stands for the narrower ones too. */
function watermarksOf(rank: number, at: number, calls: number): Map<string, Watermark> {
  return new Map(rescans.slice(rank).map(({ name }) => [name, { at, calls }]));
}
