import { createIdCodec } from '../base/ids.js';
import type { Delivery, ServiceEvent } from './delivery.js';
import type { Endpoint } from './endpoints.js';

/** What the events must be about (specification 4.22). */
interface DeliveryFilter {
  paymentIntentId?: string | undefined;
  payoutId?: string | undefined;
  depositId?: string | undefined;
  /** Source or destination of a transfer. */
  accountId?: string | undefined;
  endpointId?: string | undefined;
}

interface DeliveryQuery {
  take: number;
  cursor: string | null;
  filter: DeliveryFilter;
}

export interface DeliveryLog {
  add(endpoint: Endpoint, event: ServiceEvent, now: number): Delivery;
  /** Newest first; null for a cursor that this log never gave. */
  page(query: DeliveryQuery): { items: Delivery[]; nextCursor: string | null } | null;
  /** How many there ever were. */
  count(): number;
  /** Newest first. */
  all(): Delivery[];
}

const FORGET_AT_ONCE = 10_000;

/** Keeps the newest `keep` deliveries, and up to 10,000 more. */
export function createDeliveryLog({ seed, keep }: { seed: number; keep: number }): DeliveryLog {
  const ids = createIdCodec(seed, 'whd');
  const cursors = createIdCodec(seed, 'after');
  const rows: Delivery[] = [];
  let forgotten = 0;
  return {
    add(endpoint, event, now) {
      const number = forgotten + rows.length;
      const delivery: Delivery = {
        number,
        id: ids.encode(number),
        endpoint,
        event,
        timestamp: Math.floor(now / 1000),
        status: 'pending',
        attempts: [],
        responseBody: null,
        responseHeaders: null,
        nextRetryAt: null,
        createdAt: now,
      };
      rows.push(delivery);
      if (rows.length >= keep + FORGET_AT_ONCE) {
        rows.splice(0, FORGET_AT_ONCE);
        forgotten += FORGET_AT_ONCE;
      }
      return delivery;
    },
    page({ take, cursor, filter }) {
      const after = cursor === null ? forgotten + rows.length : readCursor(cursors, cursor);
      if (after === null) return null;
      const items: Delivery[] = [];
      for (let at = after - forgotten - 1; at >= 0; at -= 1) {
        const row = rows[at];
        if (!row || !isAbout(row, filter)) continue;
        if (items.length === take) return { items, nextCursor: writeCursor(cursors, items) };
        items.push(row);
      }
      return { items, nextCursor: null };
    },
    count: () => forgotten + rows.length,
    all: () => rows.toReversed(),
  };
}

function isAbout({ event, endpoint }: Delivery, filter: DeliveryFilter): boolean {
  const { references } = event;
  for (const name of ['paymentIntentId', 'payoutId', 'depositId'] as const) {
    if (filter[name] !== undefined && references[name] !== filter[name]) return false;
  }
  if (filter.endpointId !== undefined && endpoint.id !== filter.endpointId) return false;
  return filter.accountId === undefined || references.accountIds?.includes(filter.accountId) === true;
}

type Cursors = ReturnType<typeof createIdCodec>;

function writeCursor(cursors: Cursors, items: Delivery[]): string {
  return Buffer.from(cursors.encode(items.at(-1)?.number ?? 0)).toString('base64url');
}

function readCursor(cursors: Cursors, cursor: string): number | null {
  return cursors.decode(Buffer.from(cursor, 'base64url').toString());
}
