import type { Knex } from 'knex';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { textField } from '../../src/domain/records.js';
import { collectCallbacks } from '../../src/records/callbacks/claim-callback.js';
import { registerOrder } from '../../src/records/orders/orders.js';
import { finishRun, startRun } from '../../src/records/runs/runs.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { bookPaths, seedBooks } from './console-books.js';
import { deskPaths, seedDesk } from './console-desk.js';
import { recordPaths, seedRecords } from './console-records.js';
import { storeEvents } from './events.js';

/** Text that would run, close an attribute or leave a script, were it not escaped. */
export const HOSTILE = `<img src=x onerror="document.title='owned'">'"</script><b>&amp;`;

/** Where each page has something to show after `seedConsole`; a page that is not named here is tested nowhere. */
export const samplePaths: Readonly<Record<string, string>> = {
  '/': '/',
  '/find': '/find?q=order-2',
  '/orders': '/orders',
  '/orders/:reference': `/orders/${encodeURIComponent(HOSTILE)}`,
  '/callbacks': '/callbacks?status=dead',
  '/events': '/events',
  '/events/:id': '/events/1',
  '/reference': '/reference',
  '/reference/:operation': '/reference/registerOrder',
  ...recordPaths,
  ...deskPaths,
  ...bookPaths,
};

const NOW = Date.now();

/** A few records of every sort, through the doors that all records come by. */
export async function seedConsole(db: Knex): Promise<void> {
  const events = [
    { event: 'payment_intent.completed', timestamp: NOW / 1_000 - 60, data: payment('pi_claimed', HOSTILE) },
    { event: 'payment_intent.completed', timestamp: NOW / 1_000 - 60, data: payment('pi_2', 'order-2') },
    { event: HOSTILE, timestamp: NOW / 1_000 - 60, data: { id: 'x_1' } },
  ];
  // One by one: their ids stand in addresses.
  for (const event of events) await storeEvents(db, [event]);
  await db('inbox').where({ id: 2 }).update({ status: 'applied', applied_at: db.fn.now() });
  await db('inbox').where({ id: 3 }).update({ status: 'dead', attempts: 8, error: HOSTILE });
  await db.transaction((trx) => registerOrder(trx, { reference: HOSTILE, amount: '10.500', currency: 'USDT.TRON' }));
  await save(db, [
    observed('statement', payment('pi_claimed', HOSTILE), { type: 'webhook', ref: '1' }),
    observed('poll', payment('pi_2', 'order-2'), { type: 'poll', ref: '1' }),
    observed('poll', payment('pi_reported', 'order-reported', 'pending'), { type: 'poll', ref: '1' }),
    observed(
      'statement',
      { ...payment('pi_reported', 'order-reported'), ...REPORTED },
      { type: 'webhook', ref: '1' },
      2_000,
    ),
  ]);
  await seedRecords(db);
  await seedDesk(db);
  await seedBooks(db);
  await seedCallbacks(db);
  const { id } = await startRun(db, 'payment-intents', false, new Date());
  const tally = { calls: 1, seen: 2, changed: 2, breaksOpened: 0 };
  await finishRun(db, id, { ...tally, status: 'succeeded', complete: true, proof: {}, error: null, now: new Date() });
}

/** One that was given up, with the answer of a hostile store. */
async function seedCallbacks(db: Knex): Promise<void> {
  while (await collectCallbacks(db, { adoptedAt: new Date('2026-01-01') }));
  await db('callbacks').where({ reference: HOSTILE }).update({ status: 'dead', attempts: 50, error: HOSTILE });
}

/** What whoever holds a secret alone would like to be believed. */
const REPORTED = { depositAddress: 'TForgedForgedForgedForgedForged123', metadata: { cart: ['a', 'b'] } };

function payment(id: string, merchantReference: string, status = 'completed'): JsonObject {
  return {
    id,
    status,
    irregularStatus: 'none',
    merchantReference,
    amountRequested: '10.500',
    currencyRequested: 'USDT.TRON',
    requestedCurrencyType: 'crypto',
    totalAmountReceived: '10.5',
    assetCode: 'USDT.TRON',
    customerEmail: 'ann@example.com',
    createdAt: new Date(NOW - 120_000).toISOString(),
    payins: [],
  };
}

function observed(
  type: 'statement' | 'poll',
  fields: JsonObject,
  source: Observation['source'],
  later = 0,
): Observation {
  const at = NOW - 60_000 + later;
  return { type, kind: 'payment_intent', id: textField(fields, 'id') ?? '', from: at, to: at + 900, source, fields };
}

async function save(db: Knex, observations: Observation[]): Promise<void> {
  await db.transaction((trx) =>
    saveObservations(trx, observations, { now: new Date(), adoptedAt: new Date('2026-01-01') }),
  );
}
