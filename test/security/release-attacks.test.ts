import { describe, expect, test } from 'vitest';
import { DRILL_MS } from '../support/drill.js';
import type { Fields } from '../support/site/read-api.js';
import { ASSET, attackedSite, LONG_AGO } from './attacked-site.js';

const at = attackedSite();

/** At once: none knows of another’s records. Others are tried in the long run: release-attacks.long.test.ts. */
describe.concurrent('what an attacker with one signing secret says', { timeout: DRILL_MS }, () => {
  test('case 1: an invoice that does not exist lends one payment to five orders', async () => {
    const bait = at.pay(undefined);
    for (let n = 1; n <= 5; n += 1) {
      const data = { id: `inv_x${n}`, status: 'paid', merchantReference: `1-lent-${n}`, paymentIntentId: bait };
      await at.site.report('invoice.paid', data);
      await at.site.report('invoice.paid', { ...data, amount: '100', currency: ASSET, createdAt: LONG_AGO }, 1);
    }
    await Promise.all([1, 2, 3, 4, 5].map((n) => at.orders.wasNeverSafe(`1-lent-${n}`)));
  });

  test('case 3: a confirmed refund is said to be of another payment', async () => {
    const [mine, other] = [at.pay('3-refunded'), at.pay('3-other')];
    await Promise.all([at.orders.becomesSafe('3-refunded'), at.orders.becomesSafe('3-other')]);
    const payout = await at.refundByOwnCall(mine);
    at.advance(payout, 'approve', 'broadcast', 'confirm');
    await at.orders.becomesHeld('3-refunded', ['refunded']);
    const since = await at.orders.place('3-refunded');
    const data = { id: payout, status: 'confirmed', payoutType: 'refund', amount: '99', assetCode: ASSET };
    await at.site.report('payout.confirmed', { ...data, paymentIntentId: other, merchantReference: '3-other' });
    await at.orders.wasNeverSafe('3-refunded', since);
    expect(await at.site.api.order('3-refunded')).toMatchObject({ status: 'refunded', refunds: [payout] });
    await at.orders.becomesSafe('3-other');
    expect(await at.site.api.order('3-other')).toMatchObject({ status: 'paid', refunds: [] });
  });

  test('case 4: an address, a memo, metadata and an amount to send are never shown as if a poll showed them', async () => {
    const id = at.request('4-checkout');
    const evil = { depositAddress: 'TATTACKER', memo: '666', metadata: { pay: 'TATTACKER' }, amountToSend: '0.01' };
    await at.site.report('payment_intent.pending', { id, status: 'pending', merchantReference: '4-checkout', ...evil });
    await at.site.quiet();
    const { reported, ...shown } = (await at.site.api.get<Fields>(`payment-intents/${id}`)) ?? {};
    expect(shown).toMatchObject({ verified: true, merchantReference: '4-checkout' });
    expect(JSON.stringify(shown)).not.toContain('TATTACKER');
    expect(shown['memo'] ?? null).toBeNull();
    expect(shown['amountToSend'] ?? null).toBeNull();
    expect(reported).toMatchObject({ memo: '666', amountToSend: '0.01' });
  });

  test('case 4: the address that our own call was given stays what it is', async () => {
    const body = {
      requestedCoin: ASSET,
      amount: '100',
      customer: { email: 'c@example.com' },
      merchantReference: '4-own',
    };
    const { id, depositAddress } = await at.site.ownCall('createDirectPayment', body);
    const evil = { id, status: 'pending', depositAddress: 'TATTACKER', amountToSend: '0.01' };
    await at.site.report('payment_intent.pending', evil);
    await at.site.report('payment_intent.confirming', { ...evil, status: 'confirming' }, 59);
    await at.site.quiet();
    const { reported: _reported, ...shown } = (await at.site.api.get<Fields>(`payment-intents/${String(id)}`)) ?? {};
    expect(shown).toMatchObject({ depositAddress, amountToSend: '100' });
    expect(JSON.stringify(shown)).not.toContain('TATTACKER');
  });

  test('case 5: a payin that was made up withholds a paid order for good', async () => {
    const payment = at.pay('5-withheld');
    await at.orders.becomesSafe('5-withheld');
    const made = { id: 'payin_made_up', status: 'confirming', paymentIntentId: payment, assetCode: ASSET };
    await at.site.report('payin.confirmed', { ...made, amountGross: '1', kytStatus: 'pending', createdAt: LONG_AGO });
    const completed = { id: payment, status: 'completed', payins: [{ id: 'payin_made_2' }] };
    await at.site.report('payment_intent.completed', completed);
    await at.site.quiet();
    await at.orders.becomesSafe('5-withheld');
  });

  test('case 12: an unknown payment under the reference of a proven order is said to be in dispute', async () => {
    at.pay('12-proven');
    await at.orders.becomesSafe('12-proven');
    const since = await at.orders.place('12-proven');
    const data = { status: 'completed', irregularStatus: 'pending_decision', merchantReference: '12-proven' };
    await at.site.report('payment_intent.dispute_opened', { id: 'pi_unknown', ...data, createdAt: LONG_AGO });
    await at.orders.wasAlwaysSafe('12-proven', since);
  });
});
