import { describe, expect, it } from 'vitest';
import { createRates } from '../../src/sandbox/assets/rates.js';
import { createHistory } from '../../src/sandbox/history/history.js';
import { assetNumber, flagsOf } from '../../src/sandbox/payments/intent-index.js';
import { merchantIds } from '../../src/sandbox/service.js';
import { DEFAULT_SETTINGS } from '../../src/sandbox/settings.js';
import { openInbox, openSandbox, type Row, rowsOf, type TestSandbox } from './support.js';

const COUNT = process.env.TALLYHOOK_LONG ? 200_000 : 600;

let read: Promise<Row[]> | undefined;
/** All of one sandbox, read once. */
const allRows = (): Promise<Row[]> => (read ??= openSandbox({ payments: COUNT }).then(readAll));

async function readAll(sandbox: TestSandbox): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ; ) {
    const page = await sandbox.list(`take=100${cursor}`);
    if (page.length === 0) return rows;
    rows.push(...page);
    cursor = `&cursor=${page.at(-1)?.id}`;
  }
}

describe('past payments', () => {
  it('are as many as asked for, newest first, over two years, none younger than a minute', async () => {
    const rows = await allRows();
    expect(new Set(rows.map(({ id }) => id)).size).toBe(COUNT);
    const times = rows.map(({ createdAt }) => Date.parse(String(createdAt)));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(times[0]).toBeLessThan(Date.now() - 60_000);
    expect(times.at(-1)).toBeLessThan(Date.now() - 700 * 86_400_000);
    const states = new Set(rows.map(({ status }) => status));
    for (const status of ['completed', 'expired', 'unmatched', 'cancelled']) expect(states).toContain(status);
  });

  it('add up: net plus fees is what was received and accepted', async () => {
    const unit = (text: unknown): bigint => {
      const [whole = '0', fraction = ''] = (typeof text === 'string' ? text : '0').split('.');
      return BigInt(whole + fraction.padEnd(18, '0'));
    };
    const sum = (texts: unknown[]): bigint => texts.reduce<bigint>((total, text) => total + unit(text), 0n);
    const rows = await allRows();
    const received = rows.map((row) => [
      sum([row.amountNetMerchant, row.feeAmountTotal]),
      unit(row.totalAmountReceived),
    ]);
    expect(received).toEqual(
      rows.map((row) => {
        const accepted = row.irregularStatus === 'encashed' ? row.totalAmountReceived : row.amountInRange;
        return [unit(accepted), sum(rowsOf(row, 'payins').map(({ amountGross }) => amountGross))];
      }),
    );
    const payins = rows.flatMap((row) => rowsOf(row, 'payins'));
    expect(payins.map(({ amountNet, feeAmount }) => sum([amountNet, feeAmount]))).toEqual(
      payins.map(({ amountGross }) => unit(amountGross)),
    );
  });

  it('are listed by what they would be found to be when made in full', () => {
    const seed = 5;
    const { intents: intentIds, payins: payinIds, payouts: payoutIds } = merchantIds(seed);
    const settings = { ...DEFAULT_SETTINGS, invoices: COUNT / 8, payouts: COUNT / 16 };
    const history = createHistory({
      count: COUNT,
      seed,
      rates: createRates(DEFAULT_SETTINGS),
      startedAt: Date.now(),
      intentIds,
      payinIds,
      payoutIds,
      settings,
    });
    const positions = Array.from({ length: COUNT }, (_, position) => position);
    expect(positions.map((position) => ({ ...history.sketch(position), ...history.links(position) }))).toEqual(
      positions.map((position) => {
        const intent = history.intent(position);
        const { productId, posTerminalId, invoiceId } = intent;
        return { flags: flagsOf(intent), asset: assetNumber(intent.assetCode), productId, posTerminalId, invoiceId };
      }),
    );
  });

  it('have payins to be read, and change like any other', async () => {
    const sandbox = await openSandbox({ payments: 500 });
    const [row] = await sandbox.list('status=completed&take=1');
    const [payin] = rowsOf(row, 'payins');
    const { body } = await sandbox.call('GET', `/v1/payments/payins/${payin?.id}`);
    expect(body).toMatchObject({ id: payin?.id, paymentIntentId: row?.id, status: 'confirmed', kytStatus: 'approved' });
    sandbox.control.setFaults({ irregularHoldsDisputes: true });
    sandbox.control.dispute(String(row?.id));
    expect((await sandbox.list(`status=irregular&take=100`)).map(({ id }) => id)).toContain(row?.id);
  });

  it('still open expire by the clock', async () => {
    const sandbox = await openSandbox({ payments: 3 * COUNT });
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url, events: ['payment_intent.expired'] });
    const open = [
      ...(await sandbox.list('status=pending&take=100')),
      ...(await sandbox.list('status=waiting_address_selection&take=100')),
    ];
    expect(open.length).toBeGreaterThan(0);
    sandbox.control.advance(91 * 86_400);
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals).toHaveLength(open.length);
  });

  it('come without deliveries', async () => {
    const sandbox = await openSandbox({ payments: 50 });
    const { body } = await sandbox.call<{ items: Row[] }>('GET', '/v1/webhook-endpoints/deliveries');
    expect(body.items).toEqual([]);
  });
});

describe('a seed', () => {
  const play = async (seed: number): Promise<unknown> => {
    const realNow = (): number => 1_790_000_000_000;
    const sandbox = await openSandbox({ seed, payments: 50, realNow });
    const { secret } = sandbox.control.addEndpoint({ url: 'http://127.0.0.1:9/' });
    for (let n = 0; n < 20; n += 1) {
      const id = sandbox.control.createPayment({ amount: '7', currency: 'EUR', merchantReference: `o-${n}` });
      if (n % 3 > 0) sandbox.control.pay(id, { percent: 50 * (n % 3) });
    }
    const rows = await readAll(sandbox);
    return [secret, rows.map((row) => ({ ...row, paymentLink: null }))];
  };

  it('makes everything again', async () => {
    expect(await play(3)).toEqual(await play(3));
  });

  it('of another number makes something else', async () => {
    expect(await play(3)).not.toEqual(await play(4));
  });
});

describe('GET /sandbox/truth', () => {
  it('holds the records as the API shows them', async () => {
    const sandbox = await openSandbox({ payments: 200 });
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url });
    sandbox.control.pay(sandbox.control.createPayment({ amount: '7', currency: 'EUR' }));
    await sandbox.control.deliveriesIdle();
    interface Truth {
      updatedAt: Record<string, string>;
      paymentIntents: Row[];
      payins: Row[];
      deliveries: Row[];
      webhookEndpoints: Row[];
    }
    const { body } = await sandbox.call<Truth>('GET', '/sandbox/truth');
    expect(body.paymentIntents).toEqual(await readAll(sandbox));
    expect(Object.keys(body.updatedAt)).toHaveLength(201);
    expect(body.deliveries).toHaveLength(4);
    expect(body.webhookEndpoints).toHaveLength(1);
    const [payin] = body.payins;
    expect((await sandbox.call('GET', `/v1/payments/payins/${payin?.id}`)).body).toEqual(payin);
    const past = await sandbox.call<Truth>(
      'GET',
      `/sandbox/truth?changedBefore=${new Date(Date.now() - 30_000).toISOString()}`,
    );
    expect(past.body.paymentIntents).toHaveLength(200);
  });
});
