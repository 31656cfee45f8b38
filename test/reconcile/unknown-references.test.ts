import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { MOST_RECORDS } from '../../src/domain/orders/order.js';
import { createLog } from '../../src/log.js';
import { crossCheck } from '../../src/reconcile/cross-check/cross-check.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { registerOrder } from '../../src/records/orders/orders.js';
import { createTestDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent, paidIntent } from '../support/records.js';
import { context, save } from '../support/saved.js';

test('money for an order that the store never registered, where it registers its orders, after a grace', async () => {
  const other = await createTestDatabase();
  try {
    const created = new Date(Date.now() + 5 * 60_000).toISOString();
    const paid = () => poll('payment_intent', paidIntent('n1', 'pn1', { createdAt: created }), 10);
    const checkAt = (ms: number) =>
      crossCheck({
        db: other.db,
        log: createLog('silent'),
        now: () => new Date(Date.now() + ms),
        adoptedAt: context.adoptedAt,
      });
    const open = async () => (await listBreaks(other.db, { status: 'open' })).items;
    await save(other, [paid()]);
    await checkAt(86_400_000);
    expect(await open()).toEqual([]);
    await other.db.transaction((trx) => registerOrder(trx, { reference: 'ORDER-n1', amount: '25', currency: 'EUR' }));
    await save(other, [
      poll('payment_intent', paidIntent('n1', 'pn1', { createdAt: created, returnUrl: null }), 20),
      poll('payment_intent', paidIntent('n0', 'pn0', { createdAt: created, merchantReference: 'ORDER-n1' }), 20),
    ]);
    await checkAt(0);
    expect(await open()).toEqual([]);
    await checkAt(40 * 60_000);
    expect(await open()).toMatchObject([
      {
        kind: 'order_unknown_reference',
        severity: 'medium',
        entity: { kind: 'order', id: 'order-n1' },
        evidence: { reason: 'not_registered', similarReferences: ['ORDER-n1'] },
      },
    ]);
  } finally {
    await other.drop();
  }
});

test('a word that the shop puts on many payments is no unknown order until one of them brings money', async () => {
  const other = await createTestDatabase();
  try {
    const createdAt = new Date(Date.now() + 5 * 60_000).toISOString();
    const carriers = Array.from({ length: MOST_RECORDS + 1 }, (_, n) =>
      intent(`w${n}`, { merchantReference: 'donation', status: 'expired', createdAt }),
    );
    const checked = async (fields: JsonObject[], second: number) => {
      await save(
        other,
        fields.map((one) => poll('payment_intent', one, second)),
      );
      const now = () => new Date(Date.now() + 40 * 60_000);
      await crossCheck({ db: other.db, log: createLog('silent'), now, adoptedAt: context.adoptedAt });
      const { items } = await listBreaks(other.db, { status: 'open', kind: 'order_unknown_reference' });
      return items.map(({ entity }) => entity.id);
    };
    await other.db.transaction((trx) => registerOrder(trx, { reference: 'n2', amount: '25', currency: 'EUR' }));
    expect(await checked(carriers, 10)).toEqual([]);
    expect(await checked([{ ...carriers[0], totalAmountReceived: '0.00' }], 20)).toEqual([]);
    expect(await checked([{ ...carriers[0], totalAmountReceived: '0.010' }], 30)).toEqual(['donation']);
    expect(await checked([{ ...carriers[0] }], 40)).toEqual([]);
    const paid = paidIntent('w1', 'pw1', { merchantReference: 'donation', createdAt });
    expect(await checked([paid], 50)).toEqual(['donation']);
  } finally {
    await other.drop();
  }
});
