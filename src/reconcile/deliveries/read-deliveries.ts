import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { type Delivery, readDelivery } from '../../records/deliveries/read-delivery.js';
import type { Answer } from '../service-reader.js';

/** The most that the service gives at once (specification section 8). */
const LARGEST_PAGE = 100;
/** Deliveries that were made at nearly the same moment may stand the wrong way round; more than this is another order. */
export const DISORDER_MS = 600_000;
/** So many pages in a row without anything new, and the scan is going in circles. */
const MOST_REPEATS = 3;
const MAX_PAGES = 200_000;

/** A page of the delivery history (specification 4.22); the cursor is opaque. */
export type DeliveryPageReader = (query: { take: number; cursor?: string }) => Promise<Answer<Json>>;

export interface DeliveryPage {
  /** Those of the page that did not come before in this scan, newest first. */
  deliveries: Delivery[];
  /** ms of the service's clock. */
  from: number;
  to: number;
}

/** What a scan has shown. `complete`: from the head down to the bound, or to the end of the list, without a gap. */
export interface DeliveryScan {
  complete: boolean;
  reason: string | null;
  calls: number;
  ids: Set<string>;
  newest: number | null;
  oldest: number | null;
  /** The service said that nothing stands below. */
  atEnd: boolean;
  from: number;
}

/** 4.22 says "most recent first" of attempts, and not whether by the first or by the last attempt of a delivery. */
const times = ['createdAt', 'lastAttemptAt'] as const;

/** How far down the scan is by each of them; null: the history is not sorted by it. */
type Depths = Record<(typeof times)[number], number | null>;

/** Down to below `bound` (ms; null: to the end). New ones come at the head: a page may repeat what was there. */
export async function scanDeliveries(
  read: DeliveryPageReader,
  options: { bound: number | null; eventIdPointer: string },
  onPage: (page: DeliveryPage) => Promise<void>,
): Promise<DeliveryScan> {
  const scan = newScan();
  const depths: Depths = { createdAt: Number.POSITIVE_INFINITY, lastAttemptAt: Number.POSITIVE_INFINITY };
  const end = (reason: string): DeliveryScan => ({ ...scan, reason });
  let cursor: string | null = null;
  let idle = 0;
  while (scan.calls < MAX_PAGES) {
    const answer = await read({ take: LARGEST_PAGE, ...(cursor === null ? {} : { cursor }) });
    if (scan.calls === 0) scan.from = answer.from;
    scan.calls += 1;
    const page = pageOf(answer.data);
    if (page === null) return end('an answer that is no page of deliveries');
    const known = scan.ids.size;
    const { deliveries, flaw } = take(scan, depths, page.items, options.eventIdPointer);
    await onPage({ deliveries, from: answer.from, to: answer.to });
    if (flaw !== null) return end(flaw);
    if (options.bound !== null && isBelow(depths, options.bound)) return { ...scan, complete: true };
    if (page.nextCursor === null) return { ...scan, complete: true, atEnd: true };
    if (page.nextCursor === cursor) return end('the same cursor came again');
    idle = scan.ids.size === known ? idle + 1 : 0;
    if (idle >= MOST_REPEATS) return end('the same page came again and again');
    cursor = page.nextCursor;
  }
  return end(`more than ${MAX_PAGES} pages`);
}

function newScan(): DeliveryScan {
  return { complete: false, reason: null, calls: 0, ids: new Set(), newest: null, oldest: null, atEnd: false, from: 0 };
}

/** By every time that was shown and that the history may still be sorted by. */
const timesShown = (depths: Depths): number[] => times.flatMap((time) => depths[time] ?? []).filter(Number.isFinite);

/** None above the bound stands further down. */
function isBelow(depths: Depths, bound: number): boolean {
  const left = timesShown(depths);
  return left.length > 0 && left.every((depth) => depth < bound);
}

/** Times were shown, and none of them goes down. */
function isUnsorted(depths: Depths): boolean {
  return times.some((time) => depths[time] === null) && timesShown(depths).length === 0;
}

function goDown(depths: Depths, delivery: Delivery): void {
  for (const time of times) {
    const [depth, at] = [depths[time], delivery[time]];
    if (depth === null || at === null) continue;
    depths[time] = at > depth + DISORDER_MS ? null : Math.min(depth, at);
  }
}

function take(
  scan: DeliveryScan,
  depths: Depths,
  items: readonly JsonObject[],
  pointer: string,
): { deliveries: Delivery[]; flaw: string | null } {
  const deliveries: Delivery[] = [];
  let flaw: string | null = null;
  for (const fields of items) {
    const delivery = readDelivery(fields, pointer);
    if (delivery === null) {
      flaw = 'a delivery without an id';
      continue;
    }
    if (scan.ids.has(delivery.id)) continue;
    const { createdAt } = delivery;
    goDown(depths, delivery);
    if (isUnsorted(depths)) flaw ??= 'the history is not sorted by its time';
    scan.ids.add(delivery.id);
    scan.newest = largest(scan.newest, createdAt);
    scan.oldest = smallest(scan.oldest, createdAt);
    deliveries.push(delivery);
  }
  return { deliveries, flaw };
}

function pageOf(data: Json): { items: JsonObject[]; nextCursor: string | null } | null {
  if (!isJsonObject(data)) return null;
  const items = data['items'];
  if (!Array.isArray(items) || !items.every((item) => isJsonObject(item))) return null;
  const cursor = textField(data, 'nextCursor');
  return { items, nextCursor: cursor === '' ? null : cursor };
}

function largest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function smallest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
