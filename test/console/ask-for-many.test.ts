import * as fc from 'fast-check';
import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { rederiveOrders } from '../../src/records/orders/rederive-releases.js';
import { anyCharacter } from '../support/any-character.js';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { context, save } from '../support/saved.js';
import { sized } from '../support/sizes.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
const operator = bearer('operator');

const get = (path: string) => request(app).get(`/api/v1/${path}`).set(bearer('viewer'));
const register = (reference: string) =>
  request(app)
    .put(`/api/v1/orders/${encodeURIComponent(reference)}`)
    .set(operator)
    .send({ amount: '25', currency: 'EUR' });

/** References of the orders, page by page. */
async function found(query: string, take = 500): Promise<string[]> {
  const references: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await get(`orders?take=${take}&${query}${cursor && `&cursor=${cursor}`}`);
    expect([status, body.detail]).toEqual([200, undefined]);
    references.push(...body.items.map(({ reference }: { reference: string }) => reference));
    cursor = body.nextCursor;
  }
  return references;
}

async function refused(query: string): Promise<string> {
  const { status, body } = await get(query);
  expect([status, body.code], query).toEqual([400, 'bad_request']);
  return `${body.parameter}: ${body.detail}`;
}

beforeAll(async () => {
  ({ app } = testConsole(store.db));
  const at = (day: number) => `2026-02-${String(day).padStart(2, '0')}T00:00:00.000Z`;
  const short = { totalAmountReceived: '20', amountInRange: '0', amountRejected: '20' };
  const much = { totalAmountReceived: '30', amountInRange: '26.1', amountRejected: '3.9' };
  await save(store, [
    poll('payment_intent', paidIntent('pi_safe', 'in_safe', { merchantReference: 'safe', createdAt: at(1) }), 1),
    poll('payin', payin('in_safe', 'pi_safe', { txid: '0xsafe' }), 1),
    poll('payment_intent', paidIntent('pi_held', 'in_held', { merchantReference: 'held', createdAt: at(2) }), 1),
    poll(
      'payment_intent',
      paidIntent('pi_less', 'in_less', { ...short, merchantReference: 'less', createdAt: at(3) }),
      1,
    ),
    poll(
      'payment_intent',
      paidIntent('pi_more', 'in_more', { ...much, merchantReference: 'more', createdAt: at(4) }),
      1,
    ),
    poll('payment_intent', intent('pi_open', { merchantReference: null, invoiceId: 'inv_1', createdAt: at(5) }), 1),
    poll('invoice', invoice('inv_1', { merchantReference: 'billed' }), 1),
    poll('payin', payin('in_both', 'pi_less', { txid: '0xboth' }), 1),
    poll('payout', payout('po_1', { paymentIntentId: 'pi_more', txid: '0xboth', status: 'pending' }), 1),
    poll('payout', payout('po_2', { merchantReference: 'held', txid: '0xloose', status: 'pending' }), 1),
  ]);
  for (const reference of ['a', 'b', 'b,c', 'c', 'x,y']) await register(reference).expect(201);
});

describe('orders are asked for', () => {
  it('many at once, each by its reference', async () => {
    expect((await found('reference=a&reference=b%2Cc&reference=nobody&reference=a')).sort()).toEqual(['a', 'b,c']);
    expect((await found('reference=a,b,c')).sort()).toEqual(['a', 'b', 'c']);
    expect((await found('reference=a%2Cc', 1)).sort()).toEqual(['a', 'c']);
    const many = Array.from({ length: 199 }, (_, n) => `nobody-${n}`);
    expect(await found(`reference=${[...many, 'a'].join(',')}`)).toEqual(['a']);
    expect(await found([...many, 'a'].map((one) => `reference=${one}`).join('&'))).toEqual(['a']);
  });

  it('a whole value that is an order’s reference is that order alone; where it is repeated none is split', async () => {
    expect(await found('reference=b,c')).toEqual(['b,c']);
    expect(await found('reference=x,y')).toEqual(['x,y']);
    expect(await found('reference=a,b&reference=nobody')).toEqual([]);
  });

  it('by whether their goods may go out', async () => {
    expect(await found('safe=true')).toEqual(['safe']);
    expect(await found('safe=false&status=paid')).toEqual(['held']);
    expect((await found('safe=false', 2)).sort()).toEqual(
      ['a', 'b', 'b,c', 'billed', 'c', 'held', 'less', 'more', 'x,y'].sort(),
    );
    expect(await found('safe=true&status=underpaid')).toEqual([]);
  });

  it('by a payment, and by a transaction on a chain', async () => {
    expect(await found('paymentIntentId=pi_safe')).toEqual(['safe']);
    expect(await found('paymentIntentId=pi_open')).toEqual(['billed']);
    expect(await found('paymentIntentId=pi_nobody')).toEqual([]);
    expect(await found('txid=0xsafe')).toEqual(['safe']);
    expect(await found('txid=0xboth')).toEqual(['more', 'less']);
    expect(await found('txid=0xloose')).toEqual(['held']);
    expect(await found('txid=0xSAFE')).toEqual([]);
  });

  it('by all of these at once', async () => {
    expect(await found('txid=0xboth&paymentIntentId=pi_less')).toEqual(['less']);
    expect(await found('txid=0xboth&reference=more,held', 1)).toEqual(['more']);
    expect(await found('txid=0xboth&reference=more&safe=true')).toEqual([]);
    expect(await found('txid=0xboth&status=overpaid&updatedSince=2026-01-01T00:00:00Z')).toEqual(['more']);
  });

  it('and say what is owed, or is to be given back', async () => {
    const one = async (reference: string) => (await get(`orders/${reference}`)).body;
    expect(await one('less')).toMatchObject({ status: 'underpaid', surplus: null });
    expect((await one('less')).owed).toEqual({ amount: '5.842911877394636016', currency: 'EUR' });
    expect(await one('safe')).toMatchObject({ status: 'paid', owed: null, surplus: null });
    // Something of it may have been given back.
    expect(await one('more')).toMatchObject({ status: 'overpaid', owed: null, surplus: null });
    await save(store, [
      poll('payout', payout('po_1', { paymentIntentId: 'pi_more', txid: '0xboth', status: 'failed' }), 2),
    ]);
    expect((await one('more')).surplus).toEqual({ amount: '3.735632183908045977', currency: 'EUR' });
    const { body } = await get('changes?reference=more');
    expect(body.items.at(-1)).toMatchObject({ field: 'surplus', from: null, to: { currency: 'EUR' } });
  });
});

describe('orders that changed since then', () => {
  it('are those of which the feed has a change since; that the proof is newer is none', async () => {
    const before = (await get('orders/safe')).body;
    const { updated_at: updatedAt } = await store.db('orders').where({ reference: 'safe' }).first('updated_at');
    const list = (later: number) => found(`updatedSince=${new Date(updatedAt.getTime() + later).toISOString()}`);
    expect(await list(0)).toContain('safe');
    expect(await list(1)).not.toContain('safe');
    await save(store, [
      poll(
        'payment_intent',
        paidIntent('pi_safe', 'in_safe', { merchantReference: 'safe', createdAt: '2026-02-01T00:00:00.000Z' }),
        9,
      ),
      poll('payin', payin('in_safe', 'pi_safe', { txid: '0xsafe' }), 9),
    ]);
    const cause = { source: { type: 'store', ref: 'provenWithin' }, serviceTime: null } as const;
    await store.db.transaction((trx) => rederiveOrders(trx, ['safe'], context, cause));
    const proven = (await get('orders/safe')).body;
    expect(proven.release.provenAt > before.release.provenAt).toBe(true);
    expect(proven).toEqual({ ...before, release: { ...before.release, provenAt: proven.release.provenAt } });
    await save(store, [poll('payin', payin('in_safe', 'pi_safe', { txid: '0xsafe', kytStatus: 'rejected' }), 19)]);
    expect(await list(1)).toContain('safe');
    const zone = new Date(updatedAt.getTime() + 3_600_001).toISOString().replace('Z', '%2B01:00');
    expect(await found(`updatedSince=${zone}&reference=safe&reference=held`)).toEqual(['safe']);
  });
});

it('odd values are refused in words, and named', async () => {
  expect(await refused('orders?reference=')).toContain('reference: ');
  expect(await refused('orders?reference=a&reference=')).toContain('takes references of 1 to 1,000 bytes');
  expect(await refused(`orders?reference=a,${'é'.repeat(501)}`)).toContain('takes references of 1 to 1,000 bytes');
  expect(await refused(`orders?reference=${','.repeat(200)}a`)).toContain('takes 200 references at most');
  expect(await refused(`orders?${'reference=a&'.repeat(201)}`)).toContain('takes 200 references at most');
  for (const safe of ['yes', '', 'TRUE', '1'])
    expect(await refused(`orders?safe=${safe}`)).toContain('takes true, false');
  for (const time of [
    '',
    'yesterday',
    '2026-10-31',
    '2026-10-31T18:00',
    '2026-13-01T00:00:00Z',
    '2026-10-31T18:00:00+01:00',
  ])
    expect(await refused(`orders?updatedSince=${time}`)).toContain('takes a time with its zone such as');
  expect(await refused('orders?paymentIntentId=')).toContain('takes an id');
  expect(await refused('orders?txid=')).toContain('takes the hash of a transaction');
  expect(await refused('orders?status=paid&status=held')).toContain('is given more than once');
  expect(await refused('orders?txid=a&txid=b')).toContain('is given more than once');
  for (const time of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) await found(`updatedSince=${time}`);
  expect(await found(`txid=${encodeURIComponent('\0%_,')}&paymentIntentId=%00`)).toEqual([]);
});

const LONGEST = '€'.repeat(333).concat('x');

/** With what addresses, JSON, SQL and lists mean something by. */
const odd = fc.oneof(
  fc.constantFrom('/', '\\', '?', '#', '&', '=', '+', '%', ',', ';', ':', '@', '"', "'", '`', '<', '{', '[', '(', '|'),
  fc.constantFrom('$', '^', '~', '!', '*', ' ', '\t', '\r', '\n', '\0', '.', '_', '-', '%2F', '..', '\u200b', '\u202e'),
);
const reference = fc
  .string({ unit: fc.oneof(odd, anyCharacter), minLength: 1, maxLength: 40, size: 'max' })
  .filter((text) => text !== '.' && text !== '..');
/** As long as one may be; what Postgres can't hold takes more room there than bytes. */
const long = fc
  .tuple(fc.constantFrom('x', 'é', '€', '😀', ','), reference)
  .filter(([, text]) => !/[\0\uffff]/.test(text))
  .map(([fill, text]) => text + fill.repeat(Math.floor((1_000 - Buffer.byteLength(text)) / Buffer.byteLength(fill))));

it('a reference of any characters is registered, and found again in the path, the query, the body and a payment', async () => {
  const { db } = store;
  let nth = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: reference }, long), reference, async (one, other) => {
      fc.pre(one !== other);
      for (const known of [one, other]) expect([200, 201]).toContain((await register(known)).status);
      const path = (await get(`orders/${encodeURIComponent(one)}`)).body;
      expect([path.reference, path.expected]).toEqual([one, { amount: '25', currency: 'EUR' }]);
      const asked = encodeURIComponent(one);
      expect(await found(`reference=${asked}`)).toEqual([one]);
      expect((await found(`reference=${asked}&reference=${encodeURIComponent(other)}`)).sort()).toEqual(
        [one, other].sort(),
      );
      const { body: feed } = await get(`changes?reference=${asked}`);
      expect(feed.items[0].entity).toEqual({ kind: 'order', id: one });
      const id = `pi_odd_${(nth += 1)}`;
      await save(store, [poll('payment_intent', intent(id, { merchantReference: one }), 1)]);
      expect(await found(`paymentIntentId=${id}`)).toEqual([one]);
      expect((await get(`orders/${asked}`)).body.paymentIntents).toContain(id);
      expect((await get(`payment-intents/${id}`)).body.merchantReference).toBe(one);
      expect(await db('orders').where({ reference: one }).pluck('expected_currency')).toEqual(['EUR']);
    }),
    {
      numRuns: sized(60, 2_000),
      examples: [
        ['a,b', 'a'],
        [',', 'b'],
        ['a/b?c#d', '%2F'],
        [LONGEST, '+'],
      ],
    },
  );
}, 600_000);
