import { expect, test } from 'vitest';
import { printOrder } from '../../src/cli/orders.js';
import type { Change } from '../../src/domain/views/proof-shapes.js';
import { orderDetails, timelineOf } from '../../src/records/orders/order-details.js';
import { startRun } from '../../src/records/runs/runs.js';
import { useDatabase } from '../support/database.js';
import { absence, delivered, poll, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

async function storedEvent(type: string): Promise<string> {
  const [row] = await database
    .db('inbox')
    .insert({
      key: `fp:${type}`,
      key_type: 'fingerprint',
      event_type: type,
      event_timestamp: 0,
      source: 'webhook',
      body: Buffer.from('{}'),
      content_hash: 'none',
    })
    .returning<{ id: string }[]>('id');
  return row?.id ?? '';
}

test('an order shows its payments, payins, invoices and refunds, each step with the event or run behind it', async () => {
  const event = await storedEvent('payment_intent.completed');
  const paid = await storedEvent('invoice.paid');
  const run = (await startRun(database.db, 'payment-intents', false, new Date())).id;
  const own = { merchantReference: 'Story-1' };
  const bill = invoice('inv', { paymentIntentId: 'pi', merchantReference: 'Story-1' });
  await save(database, [report('payment_intent', 'pi', paidIntent('pi', 'in', own), 1, event)]);
  await save(database, [poll('invoice', bill, 1, run)]);
  await save(database, [report('invoice', 'inv', { ...bill, status: 'paid' }, 2, paid)]);
  await save(database, [poll('payment_intent', paidIntent('pi', 'in', own), 2, run)]);
  await save(database, [poll('payin', payin('in', 'pi', { customerEmail: 'ada@example.test' }), 3, 'refresh')]);
  await save(database, [
    poll('payment_intent', paidIntent('pi', 'in', { ...own, irregularRefundPayoutId: 'po-2' }), 4, run),
  ]);
  await save(database, [
    poll('payout', payout('po', { paymentIntentId: 'pi', amount: '1', status: 'confirmed' }), 5, run),
  ]);
  await save(database, [poll('payment_intent', intent('other', { merchantReference: 'story-1' }), 0)]);

  const details = await orderDetails(database.db, 'Story-1');
  expect(details).toMatchObject({
    order: { status: 'partially_refunded', similarReferences: ['story-1'], refunds: ['po', 'po-2'] },
    paymentIntents: [{ id: 'pi' }],
    payins: [{ id: 'in' }],
    invoices: [{ id: 'inv', status: 'sent', verified: true, reported: { status: 'paid' } }],
    refunds: [{ id: 'po' }],
  });
  const seqs = details?.timeline.map(({ seq }) => BigInt(seq)) ?? [];
  expect(seqs).toEqual(seqs.toSorted((a, b) => (a < b ? -1 : 1)));
  const steps = details?.timeline.map(({ entity, source, because }) => [
    entity.kind,
    source.type,
    because?.name ?? null,
  ]);
  expect(steps).toEqual(
    expect.arrayContaining([
      ['invoice', 'webhook', 'invoice.paid'],
      ['payment_intent', 'webhook', 'payment_intent.completed'],
      ['order', 'webhook', 'payment_intent.completed'],
      ['invoice', 'poll', 'payment-intents'],
      ['payment_intent', 'poll', 'payment-intents'],
      ['payin', 'poll', null],
      ['payout', 'poll', 'payment-intents'],
    ]),
  );
  expect(JSON.stringify(details?.timeline)).not.toContain('ada@example.test');

  const printed = details === null ? [] : printOrder(details);
  expect(printed).toEqual(
    expect.arrayContaining([
      'status     partially_refunded',
      'why        A part was given back. What changes it: nothing. Refund the rest, and the customer pays anew; or decide in the store.',
      'not to be mistaken for  story-1  (here “S”; there “s”)',
      expect.stringMatching(/^payment {4}pi {2}completed, as the service's own list showed at 2026-03-01T00:00:04/),
      expect.stringMatching(/^invoice {4}inv {2}sent, as the service's own list showed at 2026-03-01T00:00:01/),
      expect.stringMatching(
        new RegExp(` {2}webhook ${paid} \\(invoice\\.paid\\) +invoice inv: reported\\.status paid`),
      ),
      'refund     po-2  not read yet',
      expect.stringMatching(
        new RegExp(` {2}webhook ${event} \\(payment_intent\\.completed\\) +order Story-1: status paid_unverified`),
      ),
      expect.stringMatching(/poll \d+ \(payment-intents\) +payout po first seen: status confirmed, amount 1/),
    ]),
  );
  expect(await orderDetails(database.db, 'STORY-1')).toBeNull();
});

test('an order shows what webhooks alone link to it, and who said so', async () => {
  const event = await storedEvent('payment_intent.paid');
  const said = intent('forged', { status: 'completed', merchantReference: 'Story-2' });
  await save(database, [report('payment_intent', 'forged', said, 1, event)]);
  await save(database, [poll('payment_intent', intent('real', { merchantReference: 'Story-3' }), 1)]);
  await save(database, [
    report('payout', 'back', payout('back', { paymentIntentId: 'real', status: 'confirmed' }), 2, event),
  ]);

  const claimed = await orderDetails(database.db, 'Story-2');
  expect(claimed).toMatchObject({
    order: { status: 'paid_unverified', paymentIntents: [] },
    paymentIntents: [],
    reported: { paymentIntents: [{ id: 'forged', verified: false, reported: { status: 'completed' } }], refunds: [] },
  });
  expect(claimed?.timeline.some(({ entity }) => entity.id === 'forged')).toBe(true);
  const lines = claimed === null ? [] : printOrder(claimed);
  expect(lines.find((line) => line.startsWith('only said'))).toContain(
    `payment forged  completed, as webhook ${event}`,
  );
  expect(await orderDetails(database.db, 'Story-3')).toMatchObject({
    refunds: [],
    reported: { paymentIntents: [], refunds: [{ id: 'back' }] },
  });

  await save(database, [absence('payment_intent', 'forged', 60)]);
  expect((await orderDetails(database.db, 'Story-2'))?.reported.paymentIntents).toEqual([]);
});

test('each line names who said the state that it shows: not who spoke last, nor who spoke of something else', async () => {
  const event = await storedEvent('payout.updated');
  const own = { merchantReference: 'Story-4' };
  const whole = paidIntent('wit', 'wit-in', own);
  await save(database, [
    poll('payment_intent', whole, 10, 'refresh'),
    poll('payin', payin('wit-in', 'wit', { status: 'pending' }), 10, 'refresh'),
    poll('payout', payout('wit-out', { status: 'pending', merchantReference: null }), 10, 'refresh'),
  ]);
  await save(database, [
    // A dispute moves on an axis of its own: that the payment is completed the poll showed.
    delivered('payment_intent', 'wit', { ...whole, irregularStatus: 'pending_decision' }, 20),
    delivered('payin', 'wit-in', payin('wit-in', 'wit', { status: 'confirmed' }), 20),
    report('payin', 'wit-in', payin('wit-in', 'wit', { status: 'confirmed', kytStatus: 'rejected' }), 30, event),
    report('payout', 'wit-out', { paymentIntentId: 'wit', status: 'pending' }, 30, event),
  ]);
  const details = await orderDetails(database.db, 'Story-4');
  const lines = details === null ? [] : printOrder(details);
  const line = (start: string) => lines.find((one) => one.startsWith(start));
  expect(line('payment')).toMatch(/wit {2}completed, as poll refresh showed at 2026-03-01T00:00:10.000Z, not verified/);
  expect(line('payin')).toMatch(/wit-in {2}confirmed, as delivery_history dl-1 said at 2026-03-01T00:00:20/);
  expect(line('only said')).toBe(
    `only said: refund wit-out  gives payment wit back, as webhook ${event} said at 2026-03-01T00:00:30.000Z: it holds the order at most`,
  );
});

test('changes stand in the order in which they were saved, each with its own time', async () => {
  const change = (seq: string, second: number): Change => ({
    seq,
    entity: { kind: 'payment_intent', id: 'pi' },
    field: 'status',
    from: null,
    to: 'pending',
    source: { type: 'poll', ref: 'refresh' },
    serviceTime: null,
    changedAt: `2026-03-01T00:00:0${second}.000Z`,
  });
  const timeline = await timelineOf(database.db, [change('3', 5), change('1', 6), change('4', 7)]);
  expect(timeline.map(({ seq, changedAt }) => [seq, changedAt.slice(17, 19)])).toEqual([
    ['1', '06'],
    ['3', '05'],
    ['4', '07'],
  ]);
});
