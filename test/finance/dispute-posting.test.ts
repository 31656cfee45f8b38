import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { judgedBalance } from '../support/classified-balance.js';
import { closeMonth } from '../support/closed-month.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { absence, delivered, poll, report } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';
import { isAll } from '../support/sizes.js';

const [MARCH, APRIL, MAY] = ['2026-03', '2026-04', '2026-05'];
const OPENED = '2026-03-01T00:00:00.000Z';
const PAID = '2026-03-30T20:02:48.056Z';
const DISPUTED = '2026-04-05T10:00:04.000Z';
const DECIDED = '2026-05-07T09:00:00.000Z';
/** In the one every month is open, in the other the first is closed. */
let databases: [open: TestDatabase, closed: TestDatabase];
let database: TestDatabase;
let made = 0;
/** The payment and the asset of this test alone: its number is in their names. */
let own = 0;
const nextOwn = (): number => {
  made += 1;
  return made;
};
const ofOwn = (name: string): string => `${name}_${own}`;

beforeAll(async () => {
  databases = [await createTestDatabase(), await createTestDatabase()];
}, 60_000);
afterAll(() => Promise.all(databases.map((one) => one.drop())));

const openBooks = () =>
  judgedBalance(database.db, { assetCode: ofOwn('USDT'), opening: '100', balance: '100', now: new Date(OPENED) });

/** Each test with an asset whose books were opened just now, beside those of the others. */
function beginsWithBooks(): void {
  beforeEach(async () => {
    [database] = databases;
    own = nextOwn();
    await openBooks();
    await postBooks(database.db);
  });
}

const onePayin = { id: 'pa_1', amountGross: '20', amountNet: '19.8', feeAmount: '0.2' };
const payment = (fields: JsonObject = {}): JsonObject => {
  const { payins, ...said } = { ...paid, ...fields };
  const listed = payins as (JsonObject & { id: string })[];
  return paidIntent(ofOwn('pi'), ofOwn('pa_1'), {
    ...said,
    assetCode: ofOwn('USDT'),
    payins: listed.map((one) => ({ ...one, id: ofOwn(one.id), assetCode: ofOwn('USDT') })),
  });
};
const paid: JsonObject = {
  amountCryptoExpected: '20',
  totalAmountReceived: '20',
  amountNetMerchant: '19.8',
  feeAmountTotal: '0.2',
  amountInRange: '20',
  amountRejected: null,
  irregularActionAt: null,
  createdAt: '2026-03-30T20:00:00.000Z',
  statusHistory: [{ status: 'completed', timestamp: PAID, source: 'chain' }],
  payins: [{ ...onePayin, status: 'confirmed', createdAt: '2026-03-30T20:01:00.000Z' }],
};
const part = { irregularStatus: 'pending_decision', amountRejected: '5', amountInRange: '15' };
const disputes: Record<string, JsonObject> = {
  'a part': { ...part, amountNetMerchant: '14.85', feeAmountTotal: '0.15' },
  'the whole': { ...part, amountRejected: '20', amountInRange: '0', amountNetMerchant: '0', feeAmountTotal: '0' },
  'the whole, its payin unmatched again': {
    ...part,
    amountRejected: '20',
    amountNetMerchant: '0',
    feeAmountTotal: '0',
    payins: [{ ...onePayin, status: 'unmatched', createdAt: '2026-03-30T20:01:00.000Z' }],
  },
};
const encashed = { irregularStatus: 'encashed', amountRejected: '5', irregularActionAt: DECIDED };

const seconds = (time: string) => (Date.parse(time) - Date.parse(OPENED)) / 1000;
const read = (fields: JsonObject, time: string) => save(database, [poll('payment_intent', fields, seconds(time))]);
/** Twice: the second time there is nothing left. */
const postAll = async () => {
  await postBooks(database.db);
  expect(await postBooks(database.db)).toMatchObject({ entries: 0, complete: true });
};
const readAndPost = async (fields: JsonObject, time: string) => {
  await read(fields, time);
  await postAll();
};
const close = (month: string) => closeMonth(database.db, month);
const entries = async () => (await listEntries(database.db, { recordId: ofOwn('pi'), take: 500 })).items.reverse();

/** What is held there at the end of each month. */
async function closings(account = 'assets:operating'): Promise<string[]> {
  const months = await Promise.all([MARCH, APRIL, MAY].map((month) => accountTotals(database.db, month)));
  return months.map(
    (totals) => totals.find((one) => one.account === account && one.assetCode === ofOwn('USDT'))?.closing ?? '0',
  );
}

describe.each([
  ['open', false],
  ['closed', true],
])('with the month of the payment %s', (_, isClosed) => {
  const begun: { number: number; dispute: JsonObject }[] = [];
  beforeAll(async () => {
    database = databases[isClosed ? 1 : 0];
    const ofEach = async (change: (dispute: JsonObject) => Promise<unknown>) => {
      for (const { number, dispute } of begun) {
        own = number;
        await change(dispute);
      }
      await postAll();
    };
    await ofEach(openBooks);
    await ofEach(() => read(payment(), '2026-03-30T20:05:00.000Z'));
    if (isClosed) await close(MARCH);
    await ofEach((dispute) => read(payment(dispute), DISPUTED));
  }, 60_000);

  // Whether the month is closed matters to none of them more than to the others.
  const played = Object.entries(disputes).slice(0, isClosed && !isAll ? 1 : undefined);
  describe.each(played)('a dispute of %s', (_name, dispute) => {
    const left = dispute['amountNetMerchant'] === '0' ? '100' : '114.85';
    const held = dispute['amountRejected'] === '20' ? '20' : '5';

    const numbers = Array.from({ length: 5 }, nextOwn);
    begun.push(...numbers.map((number) => ({ number, dispute })));

    beforeEach(() => {
      database = databases[isClosed ? 1 : 0];
      own = numbers.shift() ?? own;
    });

    it('is booked when it was first seen, and leaves the month of the payment as the service held it', async () => {
      expect(await closings()).toEqual(['119.8', left, left]);
      expect(await closings('assets:held:disputes')).toEqual(['0', held, held]);
      const [first, ...since] = await entries();
      expect(first).toMatchObject({ key: `payin:${ofOwn('pa_1')}`, date: '2026-03-30', at: PAID });
      const opened = { type: 'entry', date: '2026-04-05', at: DISPUTED, datedBy: 'first_seen', adjusts: null };
      expect(since.map(({ key }) => key)).toEqual(['payment', 'held']);
      for (const one of since) expect(one).toMatchObject(opened);
    });

    it('and encashed, brings the rest on the day of the decision', async () => {
      await readAndPost(payment(encashed), '2026-05-07T09:03:00.000Z');
      expect(await closings()).toEqual(['119.8', left, '119.8']);
      expect(await closings('assets:held:disputes')).toEqual(['0', held, '0']);
      const change = { type: 'change', date: '2026-05-07', at: DECIDED, datedBy: 'decision', adjusts: null };
      expect((await entries()).slice(3)).toMatchObject([
        { ...change, key: 'payment' },
        { ...change, key: 'held' },
      ]);
    });

    it('and refunded, gives up what was held, and nothing else', async () => {
      const refunded = { ...dispute, irregularStatus: 'refunded', irregularActionAt: DECIDED };
      await readAndPost(payment(refunded), '2026-05-07T09:03:00.000Z');
      expect(await closings()).toEqual(['119.8', left, left]);
      expect(await closings('assets:held:disputes')).toEqual(['0', held, '0']);
      expect((await entries()).slice(3)).toMatchObject([{ key: 'held', type: 'change', at: DECIDED }]);
    });

    it('and withdrawn without a decision, brings the rest back when that was seen', async () => {
      await readAndPost(payment(), DECIDED);
      expect(await closings()).toEqual(['119.8', left, '119.8']);
      expect(await closings('assets:held:disputes')).toEqual(['0', held, '0']);
      expect((await entries()).filter(({ type }) => type === 'reversal')).toEqual([]);
    });

    it('and opened again after it was encashed, is booked when it was seen again', async () => {
      await readAndPost(payment(encashed), '2026-04-07T09:03:00.000Z');
      await readAndPost(payment({ ...dispute, irregularActionAt: '2026-04-07T09:00:00.000Z' }), DECIDED);
      expect(await closings()).toEqual(['119.8', expect.any(String), left]);
      expect((await entries()).at(-1)).toMatchObject({ key: 'held', at: DECIDED, datedBy: 'first_seen' });
    });
  });
});

// What makes the difference is what is left of the payin.
const later = Object.entries(disputes).filter((_, nth) => isAll || nth !== 1);
describe.each(later)('a dispute of %s that is posted only later', (_name, dispute) => {
  beginsWithBooks();
  const left = dispute['amountNetMerchant'] === '0' ? '100' : '114.85';

  it('comes to the same as if it had been posted at once', async () => {
    await read(payment(), '2026-03-30T20:05:00.000Z');
    await readAndPost(payment(dispute), DISPUTED);
    expect(await closings()).toEqual(['119.8', left, left]);
    await readAndPost(payment({ ...dispute, metadata: { note: 'read again' } }), DECIDED);
    expect(await entries()).toHaveLength(3);
  });

  it('and after it was refunded', async () => {
    await read(payment(), '2026-03-30T20:05:00.000Z');
    await read(payment(dispute), DISPUTED);
    await readAndPost(payment({ ...dispute, irregularStatus: 'refunded', irregularActionAt: DECIDED }), DECIDED);
    expect(await closings()).toEqual(['119.8', left, left]);
  });

  it.each(['encashed', 'withdrawn'])('and after it was %s: each month holds what the service held', async (end) => {
    await read(payment(), '2026-03-30T20:05:00.000Z');
    await read(payment(dispute), DISPUTED);
    await readAndPost(payment(end === 'encashed' ? encashed : {}), DECIDED);
    expect(await closings()).toEqual(['119.8', left, '119.8']);
    expect(await entries()).toHaveLength(5);
  });

  it.each([
    ['an event', report, { at: '2026-04-01T00:03:00.000Z', march: '119.8' }],
    ['the delivery history', delivered, { at: '2026-03-31T23:59:58.000Z', march: left }],
  ] as const)('that %s reported before has the time of what was read of it first', async (_what, report, dated) => {
    await readAndPost(payment(), '2026-03-30T20:05:00.000Z');
    const at = '2026-03-31T23:59:58.000Z';
    const { amountNetMerchant: _net, feeAmountTotal: _fee, payins: _payins, ...said } = payment(dispute);
    const event = report('payment_intent', ofOwn('pi'), said, seconds(at));
    await save(database, [event]);
    await postBooks(database.db);
    expect(await closings()).toEqual(['119.8', '119.8', '119.8']);
    await readAndPost(payment(dispute), '2026-04-01T00:03:00.000Z');
    await save(database, [event]);
    await postBooks(database.db);
    expect(await closings()).toEqual([dated.march, left, left]);
    expect((await entries()).slice(1)).toMatchObject([
      { key: 'payment', at: dated.at },
      { key: 'held', at: dated.at },
    ]);
  });
});

const over: JsonObject = {
  totalAmountReceived: '30',
  ...part,
  amountRejected: '10',
  amountInRange: '20',
  payins: [
    { ...onePayin, amountGross: '30', amountNet: '29.7', feeAmount: '0.3', status: 'confirmed', createdAt: PAID },
  ],
};

describe('a payment', () => {
  beginsWithBooks();

  it('what was sent beyond what was asked, and never counted, is held from when it came', async () => {
    const asked = { status: 'pending', totalAmountReceived: '0', amountNetMerchant: '0', feeAmountTotal: '0' };
    await readAndPost(payment({ ...asked, statusHistory: [], payins: [] }), '2026-03-30T20:00:30.000Z');
    await readAndPost(payment(over), '2026-04-01T00:02:00.000Z');
    expect(await closings()).toEqual(['119.8', '119.8', '119.8']);
    expect(await closings('assets:held:disputes')).toEqual(['10', '10', '10']);
  });

  it('a second payin beyond what was asked is held from when that came, and the first is left alone', async () => {
    await readAndPost(payment(), '2026-03-30T20:05:00.000Z');
    const second = {
      ...onePayin,
      id: 'pa_2',
      amountGross: '10',
      amountNet: '9.9',
      feeAmount: '0.1',
      status: 'confirmed',
    };
    const first = { ...onePayin, status: 'confirmed', createdAt: '2026-03-30T20:01:00.000Z' };
    const payins = [first, { ...second, createdAt: '2026-04-05T09:59:00.000Z' }];
    await readAndPost(payment({ ...over, payins }), DISPUTED);
    expect(await closings()).toEqual(['119.8', '119.8', '119.8']);
    expect((await entries()).filter(({ month }) => month === MARCH)).toHaveLength(1);
    const all = { ...encashed, amountRejected: '10', amountNetMerchant: '29.7', feeAmountTotal: '0.3' };
    await readAndPost(payment({ ...over, payins, ...all }), DECIDED);
    expect(await closings()).toEqual(['119.8', '119.8', '129.7']);
  });

  it('a payment whose dispute is all that was ever seen of it counted until it was seen', async () => {
    await readAndPost(payment(disputes['the whole']), DISPUTED);
    expect(await closings()).toEqual(['119.8', '100', '100']);
  });

  it('one whose dispute was open before the books were opened brings nothing but what is decided', async () => {
    const long = { createdAt: '2026-01-05T10:00:00.000Z', statusHistory: [] };
    const payins = [{ ...onePayin, status: 'confirmed', createdAt: '2026-01-05T10:00:00.000Z' }];
    await readAndPost(payment({ ...disputes['the whole'], ...long, payins }), '2026-03-01T00:00:01.000Z');
    expect((await entries()).map(({ key }) => key)).toEqual(['held']);
    await readAndPost(payment({ ...encashed, amountRejected: '20', ...long, payins }), DECIDED);
    expect(await closings()).toEqual(['100', '100', '119.8']);
  });

  it('one that is gone from the service’s lists is taken back whole', async () => {
    await readAndPost(payment(), '2026-03-30T20:05:00.000Z');
    await readAndPost(payment(disputes['a part']), DISPUTED);
    await save(database, [absence('payment_intent', ofOwn('pi'), seconds(DECIDED))]);
    await postBooks(database.db);
    expect((await closings()).at(-1)).toBe('100');
  });
});
