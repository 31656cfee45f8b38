import type { Watermark } from '../records/watermarks.js';
import { followList, type Walk } from './follow-list.js';
import { keepPage, type ListReading } from './list-reading.js';

const HOUR_MS = 3_600_000;
/** Records that wait for a decision are read on each tick while younger than this, the others hourly. */
export const RECENT_MS = 30 * 24 * HOUR_MS;

export interface StateSweep {
  complete: boolean;
  walks: Map<string, Walk>;
  /** The states that wait for a decision were read whole, not only those created lately. */
  whole: boolean;
  watermarks: Map<string, Watermark>;
}

/** Step 2: each state in which a record may still change, by the status filter. */
export async function sweepStates(
  reading: ListReading,
  known: ReadonlyMap<string, Watermark>,
  full: boolean,
): Promise<StateSweep> {
  const { activeStates, waitingStates } = reading.plan;
  const now = reading.now();
  const sweep: StateSweep = { complete: true, walks: new Map(), whole: true, watermarks: new Map() };
  for (const status of [...activeStates, ...waitingStates]) {
    const mark = `whole:${status}`;
    const waiting = waitingStates.includes(status);
    const whole = !waiting || full || now - Number(known.get(mark)?.['at'] ?? 0) >= HOUR_MS;
    const listed = new Set<string>();
    const walk = await followList(
      reading.read,
      {
        status,
        bound: whole ? null : { createdAt: now - RECENT_MS },
        ...(reading.signal ? { signal: reading.signal } : {}),
      },
      async (page) => {
        await keepPage(reading, page, { status });
        if (waiting) for (const { id } of page.rows) listed.add(id);
      },
    );
    sweep.walks.set(status, walk);
    sweep.complete &&= walk.complete;
    sweep.whole &&= whole;
    if (waiting && whole && walk.complete) {
      sweep.watermarks.set(mark, { at: now });
      await reading.store.keepListing(status, { from: walk.from, to: walk.to, ids: listed });
    }
  }
  return sweep;
}
