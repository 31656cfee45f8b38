import type { Knex } from 'knex';
import type { EntityRef } from '../domain/records.js';
import { type Change, changesOf } from './changes.js';
import { getOrder, type OrderView } from './orders.js';
import { getRecord, type RecordView } from './rows.js';

/** One order with all that made it what it is. */
export interface OrderStory {
  order: OrderView;
  paymentIntents: RecordView[];
  payins: RecordView[];
  /** Every change of the order and of its records, oldest first, each with its source. */
  timeline: Change[];
}

/** Null when there is no such order. */
export async function orderStory(db: Knex, reference: string): Promise<OrderStory | null> {
  const order = await getOrder(db, reference);
  if (!order) return null;
  const paymentIntents = await present(order.paymentIntents.map((id) => getRecord(db, 'payment_intent', id)));
  const payins = await present(payinIds(paymentIntents).map((id) => getRecord(db, 'payin', id)));
  const entities: EntityRef[] = [
    { kind: 'order', id: reference },
    ...paymentIntents.map(({ id }) => ({ kind: 'payment_intent', id }) as const),
    ...payins.map(({ id }) => ({ kind: 'payin', id }) as const),
  ];
  const changes = await Promise.all(entities.map((entity) => changesOf(db, entity)));
  return {
    order,
    paymentIntents,
    payins,
    timeline: changes.flat().sort((a, b) => Number(BigInt(a.seq) - BigInt(b.seq))),
  };
}

async function present<T>(found: Promise<T | null>[]): Promise<T[]> {
  return (await Promise.all(found)).filter((item) => item !== null);
}

function payinIds(intents: RecordView[]): string[] {
  const ids = intents.flatMap(({ payins }) => (Array.isArray(payins) ? payins : []).map(idOf));
  return [...new Set(ids.filter((id) => id !== null))];
}

function idOf(summary: unknown): string | null {
  const id = typeof summary === 'object' && summary !== null && 'id' in summary ? summary.id : null;
  return typeof id === 'string' ? id : null;
}
