import { textField } from '../../domain/records.js';
import type { Watermark } from '../../records/runs/watermarks.js';
import { NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import { keepPage, type ListPoll } from './list-poll.js';
import type { ListRow } from './list-row.js';
import { type Scan, scanList } from './scan-list.js';
import { isDue } from './span.js';

const HOUR_MS = 3_600_000;
const REST_MS_PER_CALL = 20_000;
/** Records that wait for a decision are read on each tick while younger than this, the others hourly. */
export const RECENT_MS = 30 * 24 * HOUR_MS;
/** So many records may have moved on between the service's search and its answer. */
const FEW = 3;

export interface StateScans {
  scans: Map<string, Scan>;
  /** States whose filter the service refuses, or does not go by: no page of it says which records are in that state. */
  unfiltered: Map<string, 'refused' | 'ignored'>;
  /** The states that wait for a decision were read whole, not only those created lately. */
  whole: boolean;
  watermarks: Map<string, Watermark>;
}

/** Step 2: each state in which a record may still change, by the status filter. */
export async function scanStates(
  poll: ListPoll,
  known: ReadonlyMap<string, Watermark>,
  full: boolean,
): Promise<StateScans> {
  const { activeStates, waitingStates } = poll.plan;
  const now = poll.now();
  const scans: StateScans = { scans: new Map(), unfiltered: new Map(), whole: true, watermarks: new Map() };
  for (const status of [...activeStates, ...waitingStates]) {
    const watermark = `whole:${status}`;
    const waiting = waitingStates.includes(status);
    const whole = !waiting || full || isDue(known.get(watermark), restOf(known.get(watermark)), now);
    scans.whole &&= whole;
    // A service that goes by no value of the filter would show the whole list for each.
    const filtered = [...scans.unfiltered.values()].includes('ignored')
      ? 'ignored'
      : await scanState(poll, status, { since: whole ? null : now - RECENT_MS });
    if (typeof filtered === 'string') scans.unfiltered.set(status, filtered);
    else scans.scans.set(status, filtered.scan);
    if (!waiting || !whole) continue;
    if (typeof filtered === 'string') scans.watermarks.set(watermark, { at: now });
    else if (filtered.scan.complete) {
      const { from, to } = filtered.scan;
      scans.watermarks.set(watermark, { at: now, calls: filtered.scan.calls });
      await poll.store.keepListing(status, { from, to, ids: filtered.listed });
    }
  }
  return scans;
}

/** Where thousands wait for a decision, reading all of them may cost a hundredth of the rate. */
function restOf(watermark: Watermark | undefined): number {
  return Math.max(HOUR_MS, Number(watermark?.['calls'] ?? 0) * REST_MS_PER_CALL);
}

async function scanState(
  poll: ListPoll,
  status: string,
  { since }: { since: number | null },
): Promise<{ scan: Scan; listed: Set<string> } | 'refused' | 'ignored'> {
  const listed = new Set<string>();
  let ignored = false;
  const options = {
    status,
    bound: since === null ? null : { createdAt: since },
    enough: () => ignored,
    signal: poll.signal,
  };
  try {
    const scan = await scanList(poll.read, options, async (page) => {
      await keepPage(poll, page, { status });
      ignored ||= isForeign(page.rows, status);
      for (const { id } of page.rows) listed.add(id);
    });
    return ignored ? 'ignored' : { scan, listed };
  } catch (error) {
    if (error instanceof RefusedError || error instanceof NotFoundError) return 'refused';
    throw error;
  }
}

/**
 * The page is not what the filter asks for. A record may move on meanwhile, so a few of another state are no sign. `irregular` is no state of its own, but nothing was paid of one that waits for an address.
 */
function isForeign(rows: readonly ListRow[], status: string): boolean {
  const others = rows.filter(({ fields }) => {
    const shown = textField(fields, 'status')?.toLowerCase() ?? status;
    if (status !== 'irregular') return shown !== status;
    return shown === 'waiting_address_selection' && (textField(fields, 'irregularStatus') ?? 'none') === 'none';
  });
  return status === 'irregular' ? others.length > 0 : others.length >= FEW && others.length > rows.length / 2;
}
