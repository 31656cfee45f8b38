import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../src/console/pages/pages.js';
import { monthAfter } from '../../src/domain/books/posting-month.js';
import { judgedBalance } from '../support/classified-balance.js';
import { testConsole } from '../support/console.js';
import { session } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { postBooks } from '../support/posted-books.js';
import { queriesOf } from '../support/query-plans.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

/** Each at the last millisecond of a day, so that the day after is another. */
const DAYS = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01', '2026-03-31'];
const ASSETS = DAYS.map((_, n) => `ASSET${n}`);
const at = (day: string) => new Date(`${day}T23:59:59.999Z`);

beforeAll(async () => {
  const { db } = store;
  app = testConsole(db, { now: () => at('2026-04-02') }).app;
  for (const [n, day] of DAYS.entries())
    await judgedBalance(db, { assetCode: ASSETS[n] ?? '', opening: '1', balance: '1', now: at(day) });
  await postBooks(db);
  await db('breaks').insert(
    DAYS.map((day, n) => ({
      kind: 'payout_stuck',
      severity: 'high',
      entity_kind: 'payout',
      entity_id: `po_${n}`,
      evidence: '{}',
      opened_at: at(day),
    })),
  );
  await db('matches').insert(
    DAYS.map((day, n) => ({
      kind: 'order',
      id: `order-${n}`,
      state: 'unmatched',
      reason: 'not_paid',
      reasons: '[]',
      opened_at: at(day),
      opened_on: day,
    })),
  );
  await db('alert_channels').insert({ channel: 'slack' });
  await db('alert_notices').insert(
    DAYS.map((day, n) => ({
      channel: 'slack',
      key: `digest ${n}`,
      message: { type: 'alert.digest', summary: `digest-${n}`, subject: '' },
      created_at: at(day),
    })),
  );
}, 60_000);

const lists = pages.filter(({ list }) => list !== undefined);
const linesOf = (text: string) => text.trimEnd().split('\r\n');

describe('every list', () => {
  it('is one of these', () => {
    expect(lists.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/events',
        '/breaks',
        '/match',
        '/ledger',
        '/alerts',
        '/periods',
        '/balances',
        '/deliveries',
      ]),
    );
  });

  it.each(lists.map((page) => [page.path, page] as const))(
    '%s has a file with its columns, and a way to it',
    async (path, page) => {
      const { get } = await session(app, 'admin');
      const { text } = await get(path).expect(200);
      expect(text).toContain(`href="/csv${path}"`);
      for (const name of ['from', 'to'])
        expect(text.includes(`type="date" name="${name}"`)).toBe(page.list?.days !== 'none');
      // Skipped to, whether it has rows or not.
      expect([text.includes('href="#list"'), text.match(/id="list"/g)?.length]).toEqual([true, 1]);
      const [head = '', ...lines] = linesOf((await get(`/csv${path}`).expect(200)).text);
      const tables = text.split('<table').map((one) => {
        const labels = [...one.matchAll(/<th scope="col"[^>]*>([^<]*)/g)].map(([, label]) => label?.trim());
        return labels.filter((label) => label !== 'Pick').join();
      });
      const plain = head.replaceAll('"', '');
      // A file that says more has the page's columns first.
      const isWhole = page.list?.file === undefined;
      const isOf = (own: string) => own !== '' && (isWhole ? own === plain : plain.startsWith(own));
      if (lines.length > 0) expect(tables.some(isOf), `${plain} of ${tables.join(' | ')}`).toBe(true);
      expect(plain.split(',')).not.toContain('Pick');
    },
  );

  it('offers what is often asked for of it: each is a filter that it takes, and mine are those of who reads', async () => {
    const { get } = await session(app, 'admin');
    const offered = async (path: string) => {
      const [, bar = ''] = /class="filter-bar"([^]*?)<\/div>/.exec((await get(path).expect(200)).text) ?? [];
      return [...bar.matchAll(/href="([^"]+)">([^<]+)</g)].map(([, href = '', name = '']) => [name, href] as const);
    };
    for (const path of ['/orders', '/events', '/breaks']) {
      const views = (await offered(path)).filter(([name]) => name !== 'CSV');
      expect(views.length).toBeGreaterThan(2);
      for (const [, href] of views)
        expect((await get(href.replaceAll('&amp;', '&')).expect(200)).text).toContain('class="filters-set"');
    }
    const mine = Object.fromEntries(await offered('/breaks'))['Mine'] ?? '';
    await store.db('breaks').where({ entity_id: 'po_1' }).update({ owner: 'ada' });
    const { text } = await get(mine).expect(200);
    await store.db('breaks').where({ entity_id: 'po_1' }).update({ owner: null });
    expect([text.includes('po_1'), text.includes('po_2')]).toEqual([true, false]);
  });

  it('has days where its rows have some: assets have none, deliveries are picked by the minute', async () => {
    const none = lists.filter(({ list }) => list?.days === 'none').map(({ path }) => path);
    expect(none.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['/catalog', '/deliveries']);
    const { get } = await session(app, 'admin');
    await get('/catalog?from=2026-01-01').expect(400);
    const { text } = await get('/deliveries?from=2026-01-31+18:30&to=2026-02-01').expect(200);
    for (const [name, value] of [
      ['from', '2026-01-31T18:30:00'],
      ['to', '2026-02-01T00:00:00'],
    ])
      expect(text).toContain(`type="datetime-local" name="${name}" value="${value}"`);
    await get('/deliveries?from=2026-01-31T18:30').expect(200);
  });

  it.each(pages.filter(({ list, path }) => list === undefined && !path.includes(':')).map(({ path }) => path))(
    '%s has none, and no way to one',
    async (path) => {
      const { get } = await session(app, 'admin');
      const { text } = await get(path).expect(200);
      expect(text.includes('href="#list"')).toBe(text.includes('id="list"'));
      await get(`/csv${path}`).expect(404);
    },
  );
});

/** What of the list is of which day; months are those of their days. */
const narrowed = {
  '/breaks?status=any&kind=payout_stuck&': { id: /po_\d/g, ids: DAYS.map((day, n) => [day, day, `po_${n}`] as const) },
  '/match?': { id: /order-\d/g, ids: DAYS.map((day, n) => [day, day, `order-${n}`] as const) },
  '/ledger?': { id: /ASSET\d/g, ids: DAYS.map((day, n) => [day, day, ASSETS[n] ?? ''] as const) },
  '/alerts?': { id: /digest-\d/g, ids: DAYS.map((day, n) => [day, day, `digest-${n}`] as const) },
  '/periods?': {
    id: /2026-0\d(?=,)/g,
    ids: ['2026-01', '2026-02', '2026-03'].map(
      (month) => [`${month}-01`, dayBefore(monthAfter(month)), month] as const,
    ),
  },
};

function dayBefore(month: string): string {
  return new Date(Date.parse(`${month}-01T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

describe('a list that is narrowed to days', () => {
  const day = fc.constantFrom(undefined, '2026-01-01', ...DAYS, '2026-02-15', '2026-12-31');
  it.each(Object.entries(narrowed))('%s has what is of them, and nothing else', async (path, { id, ids }) => {
    const { get } = await session(app, 'admin');
    await fc.assert(
      fc.asyncProperty(day, day, async (from, to) => {
        const query = new URLSearchParams({
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        });
        const isTurned = from !== undefined && to !== undefined && to < from;
        const { text } = await get(`/csv${path}${query.toString()}`).expect(isTurned ? 400 : 200);
        if (isTurned) {
          expect(text).toContain(`to is ${to}, before the first day, ${from}.`);
          return;
        }
        const wanted = ids.filter(([first, last]) => last >= (from ?? '') && first <= (to ?? '9'));
        const found = new Set(
          linesOf(text)
            .slice(1)
            .flatMap((line) => line.match(id) ?? []),
        );
        expect([...found].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(wanted.map(([, , own]) => own));
      }),
      { numRuns: 25 },
    );
    const { text } = await get(`${path}from=yesterday`).expect(400);
    expect(text).toContain('it takes a day such as 2026-10-31');
  });

  it('is of the books where the books have days of their own, whatever zone somebody reads in', async () => {
    const { get, cookie } = await session(app, 'admin');
    const there = { Cookie: `${cookie}; tallyhook_zone=Pacific/Kiritimati` };
    const ledger = await get('/csv/ledger?from=2026-01-31&to=2026-01-31').set(there).expect(200);
    expect(ledger.text.match(/ASSET\d/g)?.[0]).toBe('ASSET1');
    expect((await get('/ledger').set(there)).text).toContain('>From</label>');
    const breaks = await get('/csv/breaks?kind=payout_stuck&from=2026-01-31&to=2026-01-31').set(there).expect(200);
    expect(breaks.text.match(/po_\d/g)?.[0]).toBe('po_0');
    expect((await get('/breaks').set(there)).text).toContain('>From, Pacific/Kiritimati</label>');
  });
});

it('balances are narrowed to an asset, and to the days on which two polls agreed', async () => {
  const { get } = await session(app, 'admin');
  const lines = linesOf((await get('/csv/balances?assetCode=ASSET3').expect(200)).text);
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['ASSET3']);
  await store.db('balance_proofs').where({ asset_code: 'ASSET3' }).delete();
  const agreed = { asset_code: 'ASSET3', agreed_at: '2026-01-31T12:00:00Z', asked_at: new Date() };
  await store.db('balance_proofs').insert(agreed);
  const assets = async (days: string) =>
    linesOf((await get(`/csv/balances?${days}`).expect(200)).text)
      .slice(1)
      .map((one) => one.split(',')[0]);
  expect(await assets('from=2026-01-31&to=2026-01-31')).toContain('ASSET3');
  expect(await assets('from=2026-02-01')).not.toContain('ASSET3');
  expect(await assets('to=2026-01-30')).not.toContain('ASSET3');
});

it('a file asks for its rows alone, page by page: nothing of what stands around them', async () => {
  const { get } = await session(app, 'admin');
  const { sent } = await queriesOf(store.db, async () => get('/csv/breaks?status=any'));
  const asked = sent.map(({ sql }) => sql).filter((sql) => /\bbreaks\b/.test(sql));
  // The rows, and what they are about in money.
  expect(asked).toHaveLength(2);
  expect(asked[0]).toMatch(/^select \* from "breaks".* order by "id" desc limit/);
});

it('a file of breaks has each value in a cell of its own, with the amounts of both sides', async () => {
  const { db } = store;
  const opened = { severity: 'high', opened_at: at('2026-04-01'), owner: 'ann' };
  await db('invoices').insert({
    id: 'inv_9',
    amount: '12.50',
    currency: 'EUR',
    shown: '{}',
    verified: true,
    observed_at: new Date(),
    observed_by_type: 'poll',
    observed_by_ref: '1',
  });
  const items = { amount: { ours: '12', theirs: '12.5', source: { type: 'poll', ref: '1' } } };
  const residual = { ours: { explained: '1' }, theirs: { balance: '-2' } };
  await db('breaks').insert([
    {
      ...opened,
      kind: 'invoice_items_sum',
      entity_kind: 'invoice',
      entity_id: 'inv_9',
      evidence: JSON.stringify(items),
    },
    {
      ...opened,
      kind: 'balance_residual',
      severity: 'critical',
      entity_kind: 'balance',
      entity_id: 'BTC',
      evidence: JSON.stringify(residual),
    },
  ]);
  const { get } = await session(app, 'admin');
  const [head = '', ...rows] = linesOf((await get('/csv/breaks?from=2026-04-01').expect(200)).text);
  const own = head.split(',').indexOf('Number');
  expect(head.split(',').slice(0, own)).toEqual(['Break', 'Severity', 'About', 'Status', 'Who', 'Opened', 'Due']);
  const cut = rows.map((row) =>
    row
      .split(',')
      .slice(own + 1)
      .join(),
  );
  expect(cut).toEqual([
    'balance_residual,balance,BTC,2026-04-02T03:59:59.999Z,yes,,,,1,BTC,-2,BTC',
    'invoice_items_sum,invoice,inv_9,2026-04-02T23:59:59.999Z,no,,12.5,EUR,12,EUR,12.5,EUR',
  ]);
});
