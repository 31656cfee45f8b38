import { beforeAll, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { loadDayMoney } from '../../src/records/books/day-money.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const NOW = new Date('2026-03-09T10:30:00Z');
const database = useDatabase();

/** A payment that was completed then, with its payin. */
async function pay(id: string, completed: string, fields: JsonObject = {}, screening = 'approved'): Promise<void> {
  const statusHistory = [{ status: 'completed', timestamp: completed }];
  const paid = paidIntent(id, `in_${id}`, { createdAt: completed, statusHistory, ...fields });
  const came = payin(`in_${id}`, id, { createdAt: completed, kytStatus: screening });
  await save(database, [poll('payment_intent', paid, 20), poll('payin', came, 20)]);
}

beforeAll(async () => {
  await pay('pi_released', '2026-03-09T08:10:00.000Z');
  await pay('pi_waiting', '2026-03-09T08:50:00.000Z', {}, 'pending');
  await pay('pi_loose', '2026-03-09T10:29:59.000Z', { merchantReference: null });
  await pay('pi_later', '2026-03-09T10:30:00.000Z');
  await pay('pi_yesterday', '2026-03-08T09:00:00.000Z');
  await pay('pi_yesterday_later', '2026-03-08T11:00:00.000Z');
  await pay('pi_week', '2026-03-02T00:00:00.000Z');
  // Its order is that of its invoice.
  await save(database, [poll('invoice', invoice('inv_1', { merchantReference: 'order-inv_1' }), 10)]);
  await pay('pi_invoice', '2026-03-08T01:00:00.000Z', { merchantReference: null, invoiceId: 'inv_1' });
  await pay('pi_six_days', '2026-03-03T09:00:00.000Z');
  const back = payout('po_1', {
    payoutType: 'refund',
    paymentIntentId: 'pi_week',
    amount: '26.1',
    status: 'confirmed',
    createdAt: '2026-03-09T09:00:00.000Z',
  });
  await save(database, [poll('payout', back, 30)]);
}, 60_000);

it('is what came in and went back since 00:00 UTC, beside other days up to the same time of day', async () => {
  const { assets, hours } = await loadDayMoney(database.db, NOW, ['refund']);
  const none = { released: '0', waiting: '0', other: '0', returned: '0' };
  expect(assets).toEqual([
    {
      assetCode: 'USDT.TRON',
      today: { received: '78.3', released: '26.1', waiting: '26.1', other: '26.1', returned: '26.1' },
      yesterday: { ...none, received: '52.2', released: '52.2' },
      // It was given back since.
      lastWeek: { ...none, received: '26.1', other: '26.1' },
    },
  ]);
  expect(hours).toHaveLength(11);
  expect(hours[8]).toEqual({
    hour: 8,
    payments: { released: 1, waiting: 1, other: 0 },
    received: [{ currency: 'USDT.TRON', amount: '52.2' }],
  });
  expect(hours[9]).toEqual({ hour: 9, payments: { released: 0, waiting: 0, other: 0 }, received: [] });
  expect(hours[10]?.payments).toEqual({ released: 0, waiting: 0, other: 1 });
});

it('stands on the overview, with a drawing and its numbers', async () => {
  const viewer = await visit(testConsole(database.db, { now: () => NOW }).app, 'viewer');
  // What is to be done does not wait for it.
  const page = await vi.waitFor(async () => {
    const shown = await viewer.get('/');
    expect(shown.text).not.toContain('being added up');
    return shown;
  }, 10_000);
  expect(page.text).toContain('USDT.TRON 78.3 yesterday 52.2 a week ago 26.1');
  expect(page.main).toContain(
    '<title>08:00 UTC: 1 released, 1 waiting for release, 0 of no order, or given back</title>',
  );
  expect(page.text).toContain('08:00 1 1 0 52.2 USDT.TRON');
});
