import { expect, test } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { absence, mention, poll, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { everything, save, staleOrders } from '../support/saved.js';
import { sized } from '../support/sizes.js';

const rounds = sized(1, 60);
const TIMEOUT_MS = process.env['TALLYHOOK_LONG'] ? 900_000 : 120_000;
const savers = 3;

/** A generator that repeats itself: a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffled<T>(items: T[], random: (below: number) => number): T[] {
  const left = [...items];
  return items.map(() => left.splice(random(left.length), 1)[0] as T);
}

/**
 * Few records and many observations of them: payments that change their order or have that of their invoice, claims,
 * absences, payins, invoices, refunds.
 */
function observations(round: number, random: (below: number) => number): Observation[] {
  const statuses = ['pending', 'confirming', 'completed', 'expired', 'held'];
  return Array.from({ length: 120 }, (_, index): Observation => {
    const id = `${round}-${random(12)}`;
    const second = random(40);
    const reference = `${round}-order-${random(6)}`;
    const merchantReference = random(4) === 0 ? null : reference;
    const bill = `${round}-invoice-${random(6)}`;
    const refund = `${round}-refund-${random(6)}`;
    const links = {
      invoiceId: random(2) === 0 ? bill : null,
      irregularRefundPayoutId: random(3) === 0 ? refund : null,
    };
    const deposit = `${round}-deposit-${random(12)}`;
    const status = statuses[random(statuses.length)] ?? '';
    const ref = String(index);
    switch (random(9)) {
      case 0:
        return report('payment_intent', id, { status }, second, ref);
      case 1:
        return report(
          'payment_intent',
          id,
          intent(id, { status, merchantReference, metadata: { n: ref } }),
          second,
          ref,
        );
      case 2:
        return absence('payment_intent', id, second);
      case 3:
        return mention('payment_intent', id, second);
      case 4:
        return poll('payin', payin(deposit, id, { status: random(2) === 0 ? 'confirming' : 'confirmed' }), second, ref);
      case 5:
        return poll('payment_intent', paidIntent(id, deposit, { merchantReference, ...links }), second, ref);
      case 6:
        return poll(
          'invoice',
          invoice(bill, {
            status: random(2) === 0 ? 'sent' : 'paid',
            paymentIntentId: random(2) === 0 ? id : null,
            merchantReference: random(3) === 0 ? null : reference,
          }),
          second,
          ref,
        );
      case 7:
        return poll('payout', payout(refund, { paymentIntentId: random(2) === 0 ? id : null }), second, ref);
      default:
        return poll('payment_intent', intent(id, { status, merchantReference, ...links }), second, ref);
    }
  });
}

function batches(of: Observation[], random: (below: number) => number): Observation[][] {
  const cut: Observation[][] = [];
  for (let left = of; left.length > 0; ) {
    const size = 1 + random(20);
    cut.push(left.slice(0, size));
    left = left.slice(size);
  }
  return cut;
}

test(
  'savers of overlapping sets never deadlock, and end where one saver of the same observations ends',
  async () => {
    for (let round = 0; round < rounds; round++) {
      const random = randomOf(round + 1);
      const seen = observations(round, random);
      const [together, alone] = await Promise.all([createTestDatabase(), createTestDatabase()]);
      await Promise.all(
        Array.from({ length: savers }, async () => {
          // Each saver sees some of them twice.
          for (const batch of batches(shuffled([...seen, ...seen.slice(0, 30)], random), random))
            await save(together, batch);
        }),
      );
      await save(alone, seen);
      expect(await endOf(together), `round ${round}`).toEqual(await endOf(alone));
      expect(await staleOrders(together), `round ${round}`).toEqual([]);
      await Promise.all([together.drop(), alone.drop()]);
    }
  },
  TIMEOUT_MS,
);

/** Without what also shows states on the way: marks, breaks, orders that a payment left again. */
async function endOf(database: TestDatabase) {
  const { intents, payins, invoices, payouts, orders } = await everything(database);
  const ofToday = orders.filter((order) => order.payment_intents.length + order.invoices.length > 0);
  return { intents, payins, invoices, payouts, orders: ofToday };
}
