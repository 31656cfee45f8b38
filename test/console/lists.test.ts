import request from 'supertest';
import { beforeAll, expect, test } from 'vitest';
import { sheets } from '../../src/console/records/sheet.js';
import { csvLine } from '../../src/console/view/csv.js';
import { FORMULA_SIGNS } from '../../src/domain/formula.js';
import { bearer, testConsole } from '../support/console.js';
import { session, visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent, paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
const UNIT = /asset|currency/i;
const dated = (day: string, more = {}) => ({ createdAt: `2026-0${day}T23:59:59.999Z`, ...more });

beforeAll(async () => {
  app = testConsole(store.db).app;
  await save(store, [
    poll('payment_intent', intent('pi_1', dated('1-31', { merchantReference: '=1+1' })), 1),
    poll('payment_intent', intent('pi_2', dated('2-01')), 1),
    poll('payment_intent', paidIntent('pi_3', 'in_3', dated('2-02')), 1),
    poll('payin', payin('in_3', 'pi_3', { kytStatus: 'pending', ...dated('2-02') }), 1),
    ...Array.from({ length: 600 }, (_, n) => poll('invoice', { id: `inv_${n}`, status: 'sent', ...dated('2-03') }, 1)),
  ]);
});

const idsOn = async (path: string) => {
  const page = await (await visit(app, 'operator')).get(path);
  return [...new Set([...page.main.matchAll(/title="(pi_\d|order-pi_\d|=1\+1)"/g)].map(([, id]) => id))];
};

test('a list is narrowed to days, the first and the last among them', async () => {
  expect(await idsOn('/payments?from=2026-02-01')).toEqual(['pi_3', 'order-pi_3', 'pi_2', 'order-pi_2']);
  expect(await idsOn('/payments?from=2026-02-01&to=2026-02-01')).toEqual(['pi_2', 'order-pi_2']);
  expect(await idsOn('/orders?to=2026-02-01')).toEqual(['order-pi_2', '=1+1']);
  expect(await idsOn('/orders?from=2026-02-03')).toEqual([]);
});

test('orders are narrowed by whether and why their goods are held', async () => {
  expect(await idsOn('/orders?reason=kyt_pending')).toEqual(['order-pi_3']);
  expect(await idsOn('/orders?reason=awaiting_payment')).toEqual(['order-pi_2', '=1+1']);
  expect(await idsOn('/orders?reason=proven')).toEqual([]);
  expect(await idsOn('/orders?goods=hold&status=paid')).toEqual(['order-pi_3']);
  expect(await idsOn('/orders?goods=safe')).toEqual([]);
});

test('the tile of held orders leads to as many as it counts', async () => {
  const { db } = store;
  const [old, now] = ['2020-01-01', new Date().toISOString()];
  const made = ['paid', 'paid_unverified', 'underpaid'].flatMap((status) =>
    [true, false].flatMap((release_safe) =>
      [old, now].map((created_at) => {
        const reference = `made ${status} ${release_safe} ${created_at}`;
        return { reference, status, release_safe, release_reason: status, created_at };
      }),
    ),
  );
  await db('orders').insert(
    made.filter((one) => (one.status === 'paid_unverified' ? !one.release_safe : one.created_at === now)),
  );
  try {
    const viewer = await visit(testConsole(db).app, 'viewer');
    const tile = /href="([^"]+)">Paid orders held<\/a><\/p>\s*<p class="tile-value">(\d+)/.exec(
      (await viewer.get('/')).main,
    );
    const list = await viewer.get(tile?.[1] ?? '');
    const shown = new Set([...list.main.matchAll(/href="(\/orders\/[^"?]+)"/g)].map(([, href]) => href));
    expect(shown.size).toBeGreaterThan(1);
    expect(tile?.[2]).toBe(String(shown.size));
  } finally {
    await db('orders').whereLike('reference', 'made %').delete();
  }
});

test.each([
  ['/orders?goods=maybe', 'Goods is "maybe"; it takes safe, hold, paid_held.'],
  ['/orders?reason=because', 'Why is "because"; it takes '],
  ['/payments?from=yesterday', 'From is "yesterday"; it takes a day such as 2026-10-31.'],
  ['/payments?to=2026-02-31', 'Up to is "2026-02-31"; it takes a day such as 2026-10-31.'],
  ['/csv/payments?from=yesterday', 'from is "yesterday"; it takes a day such as 2026-10-31.'],
  ['/csv/orders?reason=banana', 'reason is "banana"'],
])('%s is refused with what it takes', async (path, told) => {
  const { get } = await session(app, 'viewer');
  const answer = await get(path);
  expect(answer.status).toBe(400);
  expect(answer.text.replaceAll('&quot;', '"')).toContain(told);
});

test.each([
  ['/orders', { goods: 'maybe', reason: 'because', status: 'paid', from: 'yesterday' }],
  ['/orders', { assetCode: 'BTC', receivedFrom: 'much' }],
  ['/deliveries', { from: 'soon', eventType: 'payout.failed' }],
  ['/match', { age: 'old', state: 'open' }],
  ['/breaks', { to: '2026-02-31', owner: 'ann' }],
])(
  'a form of %s that can not be read comes back as it was filled in, each error beside its field',
  async (path, given) => {
    const { get } = await session(app, 'operator');
    const { status, text } = await get(`${path}?${new URLSearchParams(given).toString()}`);
    expect(status).toBe(400);
    const form = /<form class="filters"[^]*?<\/form>/.exec(text)?.[0] ?? '';
    const right = ['status', 'assetCode', 'eventType', 'state', 'owner'];
    for (const [name, value] of Object.entries(given)) {
      const field = form.split('<div class="field">').find((html) => html.includes(` name="${name}"`)) ?? '';
      expect(field, name).toMatch(new RegExp(`value="${value}"( selected)?`));
      const isRight = right.includes(name);
      expect([name, field.includes('aria-invalid="true"')]).toEqual([name, !isRight]);
      expect([name, /-error">(Is|Needs|Takes) /.test(field)]).toEqual([name, !isRight]);
    }
    // Rows that it was to leave out are not shown as what it asked for.
    expect(text).not.toContain('<table');
    expect(text).toContain('Nothing was looked for.');
  },
);

test('a state that the service may name is asked for, listed or not', async () => {
  expect((await (await session(app, 'viewer')).get('/payments?status=new_state')).status).toBe(200);
});

test('the file of a list has what its filters leave, all pages of it, as the person may see it', async () => {
  const { get } = await session(app, 'viewer');
  const orders = await get('/csv/orders?to=2026-02-01');
  expect(orders.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(orders.get('content-disposition')).toBe('attachment; filename="orders.csv"');
  const [head, ...lines] = orders.text.trimEnd().split('\r\n');
  expect(head).toMatch(/^Reference,Status,Goods,/);
  expect(lines.map((line) => line.split(',')[0])).toEqual(['order-pi_2', "'=1+1"]);
  const invoices = (await get('/csv/invoices')).text.trimEnd().split('\r\n');
  expect(new Set(invoices).size).toBe(601);
  expect((await get('/orders?to=2026-02-01')).text).toContain('href="/csv/orders?to=2026-02-01"');
  expect((await request(app).get('/csv/orders')).status).toBe(401);
});

test('nothing in a file is a formula, and amounts stay amounts', () => {
  const text = (text: string) => ({ is: 'text', text }) as const;
  const cells = [
    text('=1+1'),
    text(' @SUM(A1)'),
    text('\u200b-1'),
    text('a,"b"'),
    { is: 'amount', amount: '-1.5', unit: 'EUR' },
  ] as const;
  expect(csvLine(cells)).toBe('\'=1+1,\' @SUM(A1),\'\u200b-1,"a,""b""",-1.5 EUR\r\n');
  // As an export has it, whatever form the sign has, and whatever stands before it unseen.
  for (const sign of FORMULA_SIGNS)
    for (const before of ['', ' ', '\u3000', '\u00ad', '\u200b', '"'])
      expect(csvLine([{ is: 'text', text: `${before}${sign}1` }])).toMatch(/^"?'/);
});

test('a list whose amounts have a unit of their own each is narrowed by it', async () => {
  const offered = Object.fromEntries(
    sheets.map(({ title, filters }) => [title, filters.filter((name) => UNIT.test(name))]),
  );
  expect(offered).toMatchObject({
    Payments: ['currencyRequested', 'assetCode'],
    Payins: ['assetCode'],
    Invoices: ['currency'],
    Payouts: ['assetCode'],
    Transactions: ['assetCode'],
    Products: [],
    Accounts: [],
  });
  await save(store, [
    poll('payment_intent', intent('pi_8', dated('4-01', { assetCode: 'USDC.BASE', currencyRequested: 'USD' })), 1),
    poll('payment_intent', intent('pi_9', dated('4-01', { assetCode: 'BTC', currencyRequested: 'EUR' })), 1),
  ]);
  expect(await idsOn('/payments?from=2026-04-01&assetCode=BTC')).toEqual(['pi_9', 'order-pi_9']);
  expect(await idsOn('/payments?from=2026-04-01&currencyRequested=USD')).toEqual(['pi_8', 'order-pi_8']);
  expect(await idsOn('/payments?assetCode=btc')).toEqual([]);
  const { body } = await request(app)
    .get('/api/v1/payment-intents?assetCode=USDC.BASE')
    .set(bearer('viewer'))
    .expect(200);
  expect(body.items).toMatchObject([{ id: 'pi_8' }]);
});
