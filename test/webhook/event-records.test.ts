import * as fc from 'fast-check';
import { pino } from 'pino';
import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { listEvents } from '../../src/records/inbox/events.js';
import { deleteKeys } from '../../src/records/retention/delete-rows.js';
import { applyEvents } from '../../src/webhook/apply-events.js';
import { bearer, testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents, type TestEvent } from '../support/events.js';
import { poll } from '../support/observations.js';
import { save } from '../support/saved.js';
import { useShell } from '../support/shell.js';

const store = useDatabase();
const run = useShell(store);

async function come(...events: TestEvent[]): Promise<string[]> {
  const { db } = store;
  const ids = await storeEvents(db, events);
  const deps = { db, log: pino({ level: 'silent' }), now: () => new Date(), metrics: createMetrics() };
  await applyEvents({ ...deps, adoptedAt: new Date(0) }, ids);
  return ids;
}

/** Newest first. They are numbered by their keys, not by their places here. */
const newest = (ids: readonly (string | undefined)[]) => ids.toSorted((a, b) => Number(b) - Number(a));
type Asked = Parameters<typeof listEvents>[1];
const found = async (asked: Asked) => (await listEvents(store.db, asked)).items.map(({ id }) => id);

beforeAll(async () => {
  await come(completed('bystander'));
});

describe('events', () => {
  it('are found by the payment and by the order that they name, in any shape and whatever they changed', async () => {
    const paid = completed('p');
    const [first, again, payin, wrapped, refund] = await come(
      { ...paid, id: 'evt_1' },
      { ...paid, id: 'evt_2' },
      { event: 'payin.confirmed', data: { id: 'in_p', status: 'confirmed', paymentIntentId: 'pi_p' } },
      { event: 'invoice.paid', data: { invoice: { id: 'inv_p', status: 'paid' }, paymentIntent: { id: 'pi_p' } } },
      { event: 'payout.pending', data: { id: 'po_p', status: 'pending', merchantReference: 'order-p' } },
    );
    const [other] = await come({ event: 'payin.confirmed', data: { id: 'in_q', paymentIntentId: 'pi_q' } });
    expect(await found({ paymentIntentId: 'pi_p' })).toEqual(newest([wrapped, payin, again, first]));
    expect(await found({ reference: 'order-p' })).toEqual(newest([refund, wrapped, payin, again, first]));
    expect(await found({ paymentIntentId: 'pi_q' })).toEqual([other]);
    expect(await found({ paymentIntentId: 'pi_p', eventType: 'payin.confirmed' })).toEqual([payin]);
    expect(await found({ paymentIntentId: 'pi_p', reference: 'order-bystander' })).toEqual([]);
    expect(await found({ paymentIntentId: 'PI_P' })).toEqual([]);
  });

  it('are found so by the API, on the page and by the command', async () => {
    const [event] = await come(completed('everywhere'));
    const { app } = testConsole(store.db);
    for (const query of ['paymentIntentId=pi_everywhere', 'reference=order-everywhere']) {
      const { body } = await request(app).get(`/api/v1/events?${query}`).set(bearer('viewer')).expect(200);
      expect(body.items).toMatchObject([{ id: event }]);
      const page = await (await visit(app, 'viewer')).get(`/events?${query}`);
      expect([...page.main.matchAll(/href="\/events\/(\d+)"/g)].map(([, id]) => id)).toEqual([event]);
    }
    for (const [option, value] of [
      ['--payment', 'pi_everywhere'],
      ['--reference', 'order-everywhere'],
    ] as const)
      expect((await run('events', 'list', '--json', option, value)).json).toMatchObject({ items: [{ id: event }] });
    const payment = await (await visit(app, 'viewer')).get('/payments/pi_everywhere');
    expect(payment.link('that name it')).toBe('/events?paymentIntentId=pi_everywhere');
  });

  it('of a payin that names no payment are found by the order whose payment lists it', async () => {
    const [payin, payment] = await come(
      { event: 'payin.confirming', data: { id: 'in_l', status: 'confirming' } },
      completed('l'),
    );
    await save(store, [poll('payment_intent', { ...completed('l').data, payins: [{ id: 'in_l' }] }, 1_800_000_000)]);
    expect(await found({ reference: 'order-l' })).toEqual(newest([payment, payin]));
  });

  it('that could not be applied are found too', async () => {
    await store.db.raw(`ALTER TABLE payment_intents ADD CONSTRAINT poison CHECK (id <> 'pi_bad')`);
    const [good, bad] = await come(completed('good'), completed('bad'));
    expect((await listEvents(store.db, { paymentIntentId: 'pi_bad' })).items).toMatchObject([
      { id: bad, status: 'failed' },
    ]);
    expect(await found({ reference: 'order-bad' })).toEqual([bad]);
    expect(await found({ reference: 'order-good' })).toEqual([good]);
  });

  it('are in the list of a payment exactly once, page by page, whoever else names what', async () => {
    let round = 0;
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 1, max: 3 }), async (named, take) => {
        round += 1;
        const nameOf = (one: string) => `law_${round}_${one}`;
        const ids = await come(...named.map((one, n) => ({ ...completed(nameOf(one)), id: `${round} ${n}` })));
        for (const one of ['a', 'b', 'c']) {
          const listed: string[] = [];
          for (let cursor: string | null | undefined; cursor !== null; ) {
            const page = await listEvents(store.db, { paymentIntentId: `pi_${nameOf(one)}`, take, cursor });
            listed.push(...page.items.map(({ id }) => id));
            cursor = page.nextCursor;
          }
          expect(listed).toEqual(newest(ids.filter((_, n) => named[n] === one)));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('take what they name with them when they go by their age', async () => {
    const { db } = store;
    const [gone, young] = await come(completed('gone'), completed('young'));
    await db('inbox')
      .where({ id: gone ?? '' })
      .update({ received_at: new Date(0), last_arrival_at: new Date(0) });
    const query = { cutoff: new Date(1), place: null, limit: 10_000 };
    await db.transaction((trx) => deleteKeys.step(trx, query));
    const left = await db('event_records')
      .whereIn('inbox_id', [gone ?? '', young ?? ''])
      .distinct()
      .pluck('inbox_id');
    expect(left).toEqual([young]);
  });
});
