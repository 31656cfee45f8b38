import { describe, expect, it } from 'vitest';
import { openSandbox } from './support.js';

const PAYMENT = { amount: '10', currency: 'USD' };

describe('the standard creation', () => {
  it.each([
    ['a time to pay that no calendar has', { expirySeconds: 1e300 }],
    ['a time to pay of nothing', { expirySeconds: 0 }],
    ['no coin to pay with', { acceptedCoins: [] }],
    ['a coin that can not pay it', { acceptedCoins: ['BTT.TRC20'] }],
  ])('refuses %s, and leaves nothing behind', async (_, change) => {
    const sandbox = await openSandbox();
    const { status, body } = await sandbox.call('POST', '/sandbox/payment-intents', { ...PAYMENT, ...change });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(await sandbox.list()).toEqual([]);
  });
});

describe('the deadline of an invoice', () => {
  it('without a zone is one of UTC', async () => {
    const sandbox = await openSandbox();
    const given = process.env.TZ;
    process.env.TZ = 'Asia/Tokyo';
    try {
      const invoice = { customerEmail: 'a@b.c', amount: '10', currency: 'USD', expiresAt: '2099-01-31T12:00:00' };
      const { body } = await sandbox.call('POST', '/v1/invoices', invoice);
      expect(body.expiresAt).toBe('2099-01-31T12:00:00.000Z');
    } finally {
      if (given === undefined) delete process.env.TZ;
      else process.env.TZ = given;
    }
  });
});
