import { type JudgedDelivery, judgeDeliveries } from '../../records/deliveries/judge-deliveries.js';
import { type Delivery, slimDelivery } from '../../records/deliveries/read-delivery.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import { clockAfter, deliveryPages, judgeRules } from '../deliveries.js';
import type { ReconcileDeps } from '../deps.js';
import { type DeliveryScan, scanDeliveries } from './read-deliveries.js';

const AT_ONCE = 500;
const DAY_MS = 86_400_000;

/**
 * Reads the delivery history live, down to `since`, and holds it against the inbox. Writes nothing. Null: a day, or as far as a
 * run would read. All of them are held at once, each in a kilobyte or two: payloads are let go.
 */
export async function lookAtDeliveries(
  deps: ReconcileDeps,
  { since, signal }: { since: Date | null; signal?: AbortSignal },
): Promise<{ judged: JudgedDelivery[]; scan: DeliveryScan }> {
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  const deliveries: Delivery[] = [];
  const watermark = (await readWatermarks(deps.db, 'deliveries')).get('mark')?.['at'];
  const unproven = typeof watermark === 'number' ? watermark : deps.adoptedAt.getTime();
  const bound = since?.getTime() ?? Math.min(unproven, deps.now().getTime() - DAY_MS);
  const scan = await scanDeliveries(
    deliveryPages({ deps, tally, ...(signal ? { signal } : {}) }),
    { bound, eventIdPointer: deps.settings.eventIdPointer, ...(signal ? { signal } : {}) },
    async (page) => {
      for (const delivery of page.deliveries)
        if ((delivery.createdAt ?? bound) >= bound) deliveries.push(slimDelivery(delivery));
    },
  );
  const known = judgeRules(deps);
  const rules = { ...known, now: clockAfter(deliveries, known.now) };
  const judged: JudgedDelivery[] = [];
  for (const part of byEvent(deliveries)) judged.push(...(await judgeDeliveries(deps.db, part, rules)));
  const place = new Map(deliveries.map(({ id }, at) => [id, at]));
  judged.sort((a, b) => (place.get(a.delivery.id) ?? 0) - (place.get(b.delivery.id) ?? 0));
  return { judged, scan };
}

/** In parts, the deliveries of one event in the same. */
function* byEvent(deliveries: readonly Delivery[]): Generator<Delivery[]> {
  const sorted = deliveries.toSorted((a, b) => compare(a.event?.key ?? '', b.event?.key ?? ''));
  let part: Delivery[] = [];
  for (const delivery of sorted) {
    if (part.length >= AT_ONCE && part.at(-1)?.event?.key !== delivery.event?.key) {
      yield part;
      part = [];
    }
    part.push(delivery);
  }
  yield part;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
