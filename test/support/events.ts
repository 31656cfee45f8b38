import type { Knex } from 'knex';
import { eventKey } from '../../src/domain/events/event-key.js';
import { atOnce } from '../../src/domain/in-turns.js';
import { type Arrival, storeArrivals } from '../../src/records/inbox/inbox.js';
import { parsingEnvelope } from '../../src/webhook/parse-envelope.js';

export interface TestEvent {
  event: string;
  data: object;
  timestamp?: number;
  id?: string;
}

/** An event as the receiver would store it. */
function arrivalOf({ timestamp = 1_700_000_000, ...event }: TestEvent): Arrival {
  const body = Buffer.from(JSON.stringify({ ...event, timestamp }));
  const parsed = atOnce(parsingEnvelope(body));
  if (!parsed.ok) throw new Error(parsed.detail);
  const { envelope } = parsed;
  return {
    ...eventKey({ envelope: envelope.document, headers: {}, pointer: 'auto' }),
    eventType: envelope.event,
    timestamp: envelope.timestamp,
    source: 'webhook',
    secretLabel: 'test',
    body,
  };
}

/** Stores events; returns the ids of their rows in the inbox. */
export async function storeEvents(db: Knex, events: TestEvent[]): Promise<string[]> {
  const stored = await storeArrivals(db, events.map(arrivalOf));
  return stored.map((row) => row.id);
}

/** A completed payment of 10 USDT.TRON; `name` makes it one of its kind. */
export function completed(name: string, fields: object = {}): TestEvent {
  return {
    event: 'payment_intent.completed',
    data: {
      id: `pi_${name}`,
      status: 'completed',
      amountRequested: '10',
      currencyRequested: 'USDT.TRON',
      requestedCurrencyType: 'crypto',
      merchantReference: `order-${name}`,
      createdAt: '2023-11-14T22:13:00Z',
      ...fields,
    },
  };
}
