import { describe, expect, it } from 'vitest';
import {
  OTHER,
  openSandbox,
  openWallet,
  payHundred,
  type Reply,
  type Row,
  SESSION,
  type TestSandbox,
} from './support.js';

interface Operation {
  sandbox: TestSandbox;
  /** The creation with a valid body, changed as given. */
  create: (change?: Record<string, unknown>, headers?: Record<string, string>) => Promise<Reply<Row>>;
}

/** The four creations that promise a replay (specification 7), each ready to succeed more than once. */
const OPERATIONS: Record<string, () => Promise<Operation>> = {
  async direct() {
    const sandbox = await openSandbox();
    const body = { requestedCoin: 'USDT.TRC20', amount: '5', customer: {} };
    return {
      sandbox,
      create: (change, headers) => sandbox.call('POST', '/v1/payment-intents/direct', { ...body, ...change }, headers),
    };
  },
  async payout() {
    const sandbox = await openSandbox();
    const id = await openWallet(sandbox);
    const body = { assetCode: 'USDT.TRC20', amount: '5', destinationAddress: 'Taway' };
    return {
      sandbox,
      create: (change, headers) => sandbox.call('POST', `/v1/accounts/${id}/payouts`, { ...body, ...change }, headers),
    };
  },
  async refund() {
    const sandbox = await openSandbox();
    const ids = Array.from({ length: 20 }, () => payHundred(sandbox, { customerRefundAddress: 'Tback' }));
    return {
      sandbox,
      create: (change, headers) =>
        sandbox.call('POST', '/v1/payouts/refund', { paymentIntentId: ids.pop(), ...change }, headers),
    };
  },
  async transfer() {
    const sandbox = await openSandbox();
    const id = await openWallet(sandbox);
    const body = { assetCode: 'USDT.TRC20', amount: '5', toOperating: true };
    return {
      sandbox,
      create: (change, headers) =>
        sandbox.call('POST', `/v1/accounts/${id}/transfers`, { ...body, ...change }, headers),
    };
  },
};

describe.each(Object.entries(OPERATIONS))('an idempotency key of a %s', (name, open) => {
  it('in body or header gives back what it made', async () => {
    const { create } = await open();
    const first = await create({ idempotencyKey: 'k:1' });
    expect(first.status).toBe(201);
    const inBody = await create({ idempotencyKey: 'k:1', amount: '7' });
    const inHeader = await create({}, { 'Idempotency-Key': 'k:1' });
    const inBoth = await create({ idempotencyKey: 'k:1' }, { 'idempotency-key': 'k:1' });
    for (const { status, body } of [inBody, inHeader, inBoth]) expect([status, body]).toEqual([200, first.body]);
    const second = await create({}, { 'Idempotency-Key': 'k:2' });
    expect([second.status, second.body.id === first.body.id]).toEqual([201, false]);
  });

  it('sent many times at once, with other bodies too, makes one thing', async () => {
    const { create } = await open();
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 3 === 2 ? create({ amount: '6' }, { 'Idempotency-Key': 'k' }) : create({ idempotencyKey: 'k' }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(11);
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('that differs between body and header is refused', async () => {
    const { create } = await open();
    const refused = await create({ idempotencyKey: 'k1' }, { 'Idempotency-Key': 'k2' });
    expect([refused.status, refused.body.code]).toEqual([400, 'IDEMPOTENCY_KEY_MISMATCH']);
    expect(String((await create({ idempotencyKey: 5 })).body.message)).toContain('idempotencyKey');
    for (const idempotencyKey of ['k1', 'k2']) expect((await create({ idempotencyKey })).status).toBe(201);
  });

  it('whose request was refused is still unused', async () => {
    const { create } = await open();
    expect((await create({ idempotencyKey: 'k', amount: 'much' })).status).toBe(400);
    expect((await create({ idempotencyKey: 'k' })).status).toBe(201);
  });

  it('that is no text is refused', async () => {
    const { create } = await open();
    expect((await create({ idempotencyKey: 5 })).status).toBe(400);
  });

  if (name === 'payout' || name === 'transfer') {
    it('has letters, digits, underscore, dot, hyphen and colon only', async () => {
      const { create } = await open();
      for (const idempotencyKey of ['a b', 'é', 'a/b', '']) expect((await create({ idempotencyKey })).status).toBe(400);
      expect((await create({}, { 'Idempotency-Key': 'a b' })).status).toBe(400);
      expect((await create({ idempotencyKey: 'aZ09_.-:' })).status).toBe(201);
    });
  }

  if (name !== 'direct') {
    it('or without one, a dashboard session needs the right code', async () => {
      const { create } = await open();
      const tried = async (totpCode?: unknown): Promise<unknown[]> => {
        const { status, body } = await create(
          { idempotencyKey: 'k', ...(totpCode === undefined ? {} : { totpCode }) },
          SESSION,
        );
        if (status === 400) expect(body.message).toContain('totpCode');
        return [status, body.code];
      };
      expect(await tried()).toEqual([403, 'TOTP_REQUIRED']);
      expect(await tried('000000')).toEqual([403, 'TOTP_INVALID']);
      for (const code of ['12345', '1234567', '12345a', 123456]) expect((await tried(code))[0]).toBe(400);
      expect((await tried('123456'))[0]).toBe(201);
      expect(await tried('000000')).toEqual([403, 'TOTP_INVALID']);
      // An API key needs none, and a code that has the right form does not matter.
      expect((await create({ totpCode: '000000' })).status).toBe(201);
      expect((await create({ totpCode: '1' })).status).toBe(400);
    });
  }
});

describe('a key', () => {
  it("is its merchant's alone", async () => {
    const sandbox = await openSandbox();
    const body = { requestedCoin: 'USDT.TRC20', amount: '5', customer: {}, idempotencyKey: 'k' };
    const [mine, theirs] = [
      await sandbox.call('POST', '/v1/payment-intents/direct', body),
      await sandbox.call('POST', '/v1/payment-intents/direct', body, OTHER),
    ];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(mine.body.id).not.toBe(theirs.body.id);
  });

  it('of one operation means nothing to another', async () => {
    const sandbox = await openSandbox();
    const id = await openWallet(sandbox);
    const money = { assetCode: 'USDT.TRC20', amount: '5', idempotencyKey: 'k' };
    const out = { ...money, destinationAddress: 'Taway' };
    expect((await sandbox.call('POST', `/v1/accounts/${id}/payouts`, out)).status).toBe(201);
    const transfer = { ...money, toOperating: true };
    expect((await sandbox.call('POST', `/v1/accounts/${id}/transfers`, transfer)).status).toBe(201);
  });
});
