import { compareText } from '../../domain/record-state.js';
import { type ClassifiedDelivery, classifyDeliveries } from '../../records/deliveries/classify-deliveries.js';
import { type Delivery, slimDelivery } from '../../records/deliveries/read-delivery.js';
import { newTally } from '../../records/runs/runs.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import type { ReconcileDeps } from '../deps.js';
import { classifyRules, clockAfter, deliveryPages } from './deliveries.js';
import { type DeliveryScan, scanDeliveries } from './read-deliveries.js';

const AT_ONCE = 500;
const DAY_MS = 86_400_000;

/** Reads the history live and holds it against the inbox; writes nothing. Null: a day, or as far as a run reads. */
export async function classifySince(
  deps: ReconcileDeps,
  { since, signal }: { since: Date | null; signal?: AbortSignal },
): Promise<{ classified: ClassifiedDelivery[]; scan: DeliveryScan }> {
  const deliveries: Delivery[] = [];
  const watermark = (await readWatermarks(deps.db, 'deliveries')).get('mark')?.['at'];
  const unproven = typeof watermark === 'number' ? watermark : deps.adoptedAt.getTime();
  const bound = since?.getTime() ?? Math.min(unproven, deps.now().getTime() - DAY_MS);
  const scan = await scanDeliveries(
    deliveryPages({ deps, tally: newTally(), signal }),
    { bound, eventIdPointer: deps.settings.eventIdPointer },
    async (page) => {
      for (const delivery of page.deliveries)
        if ((delivery.createdAt ?? bound) >= bound) deliveries.push(slimDelivery(delivery));
    },
  );
  const known = classifyRules(deps);
  const rules = { ...known, now: clockAfter(deliveries, known.now) };
  const classified: ClassifiedDelivery[] = [];
  for (const part of byEvent(deliveries)) classified.push(...(await classifyDeliveries(deps.db, part, rules)));
  const place = new Map(deliveries.map(({ id }, at) => [id, at]));
  classified.sort((a, b) => (place.get(a.delivery.id) ?? 0) - (place.get(b.delivery.id) ?? 0));
  return { classified, scan };
}

/** In parts, the deliveries of one event in the same. */
function* byEvent(deliveries: readonly Delivery[]): Generator<Delivery[]> {
  const sorted = deliveries.toSorted((a, b) => compareText(a.event?.key ?? '', b.event?.key ?? ''));
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
