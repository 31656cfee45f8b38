import { createHash } from 'node:crypto';
import request, { type Response } from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { monthAfter } from '../../../src/domain/books/posting-month.js';
import { judgedBalance } from '../../support/classified-balance.js';
import { testConsole } from '../../support/console.js';
import { session as sessionAt } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';
import { giveRates } from '../../support/given-rates.js';
import { at, poll } from '../../support/observations.js';
import { postBooks } from '../../support/posted-books.js';
import { payout } from '../../support/records.js';
import { save } from '../../support/saved.js';

const MONTH = '2026-03';
const database = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  app = testConsole(database.db, { now: () => new Date('2026-07-01T00:00:00Z') }).app;
  await judgedBalance(database.db, { assetCode: 'BTC', opening: '100', balance: '60', now: new Date(at(0)) });
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-20T10:00:00.000Z', source: 'chain' }];
  await save(database, [poll('payout', payout('po_1', { status: 'confirmed', statusHistory }), 30)]);
  await postBooks(database.db);
}, 60_000);

const session = (role: string) => sessionAt(app, role);

it('says what is missing, with a link to each, and lets finance alone close nevertheless, with a reason', async () => {
  const viewer = await session('viewer');
  const { text } = await viewer.get(`/periods/${MONTH}`);
  expect(text).toContain('No critical break is open');
  expect(text).toContain('Posted until');
  expect(stateOf(text)).toBe('missing');
  expect(text).toContain('and the service may have held 60: -40 is unexplained');
  expect(text).toMatch(/-40 is unexplained;.* break \d+ is open: balance residual/);
  expect(text).toContain('href="/runs?kind=payouts"');
  expect(text).toContain('href="/balances/BTC"');
  expect(text).toContain('Days without a rate in USD');
  expect(text).toMatch(/tallyhook books rates import FILE<.*date,asset,currency,rate\n2026-03-01,BTC,USD,</s);
  expect(text).not.toContain('Close nevertheless');
  expect((await viewer.post(`/periods/${MONTH}/close-nevertheless`, { reason: 'please' })).status).toBe(403);

  const fina = await session('finance');
  expect((await fina.get(`/periods/${MONTH}`)).text).toContain('Close nevertheless');
  expect((await fina.post(`/periods/${MONTH}/close-nevertheless`, {})).status).toBe(400);
  const looked = await fina.post(`/periods/${MONTH}/close`, {});
  expect([looked.status, looked.text]).toEqual([409, expect.stringContaining('This would be refused.')]);
  const plain = await fina.post(`/periods/${MONTH}/close`, { _confirmed: 'yes' });
  expect([plain.status, plain.get('location')]).toEqual([303, `/periods/${MONTH}`]);
  expect(await database.db('actions').where({ action: 'close period', actor: 'fina' }).pluck('outcome')).toEqual([
    'refused',
  ]);
  expect(await database.db('periods').where({ status: 'closed' })).toEqual([]);
});

/** What the page says of whether the books end the month with what the service held. */
const stateOf = (text: string) =>
  /and the books end the month with what the service held.*?>(holds|missing|not known)</s.exec(text)?.[1];

it('never says that the books end the month with what the service held before that can be known', async () => {
  const viewer = await session('viewer');
  const proof = database.db('balance_proofs').where({ asset_code: 'BTC' });
  const breaks = database.db('breaks').where({ entity_kind: 'balance' });
  await proof.clone().update({ unexplained: '0', agreed_at: '2026-07-01T00:00:00Z' });
  await breaks.clone().update({ status: 'acknowledged' });
  expect(stateOf((await viewer.get(`/periods/${MONTH}`)).text)).toBe('missing');
  await breaks.clone().update({ status: 'auto_resolved', resolved_at: '2026-03-30T00:00:00Z' });
  expect(stateOf((await viewer.get(`/periods/${MONTH}`)).text)).toBe('missing');
  const ids = await breaks.clone().pluck('id');
  await database
    .db('break_steps')
    .insert(ids.map((id) => ({ break_id: id, action: 'auto_resolved', actor: 'tallyhook' })));
  // The lists were not read until the month's end.
  expect(stateOf((await viewer.get(`/periods/${MONTH}`)).text)).toBe('not known');
  await proof.update({ unexplained: '-40' });
  await breaks.update({ status: 'open', resolved_at: null });
});

it('gives out the files of a closed month, as they were stored, and reopens it', async () => {
  const fina = await session('finance');
  const known = { reason: 'the residual is known' };
  const preview = await fina.post(`/periods/${MONTH}/close-nevertheless`, known);
  const lines = [...preview.text.matchAll(/<td[^>]*>(?:<span[^>]*>)?([^<]*)/g)].map(([, line = '']) => line.trim());
  expect(lines[0]).toMatch(/^2026-03 would be closed with \d+ exceptions\.$/);
  for (const told of [
    /^Exception: .*-40 is unexplained/,
    /^Result of the month: /,
    /^Entries: 1, the newest of them \d+\.$/,
    /^It takes no entry any more: what changes later is booked in 2026-04\./,
  ])
    expect(lines).toContainEqual(expect.stringMatching(told));
  expect(await database.db('periods').where({ status: 'closed' })).toEqual([]);
  await fina.post(`/periods/${MONTH}/close-nevertheless`, { ...known, _confirmed: 'yes' });
  const { text } = await fina.get(`/periods/${MONTH}`);
  expect(text).toContain('the residual is known');
  expect(text).toContain('>closed with exceptions<');
  expect(text).toMatch(/Closed with \d+ exceptions: what was missing then/);
  expect(text).toContain('and the service may have held 60: -40 is unexplained');
  const listed = (await fina.get('/periods')).text;
  expect(listed).toContain('>closed with exceptions<');
  expect(listed).not.toContain('tone-good">closed<');
  for (const name of [`${MONTH}.xlsx`, `${MONTH}-entries.csv`]) {
    const { body, status, headers } = await fina.get(`/periods/${MONTH}/files/${name}`).buffer(true).parse(bytes);
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect([status, headers['content-disposition']]).toEqual([200, `attachment; filename="${name}"`]);
    expect(text).toContain(sha256);
  }
  expect((await fina.get(`/periods/${MONTH}/files/..%2Fsecret`)).status).toBe(404);
  expect((await request(app).get(`/periods/${MONTH}/files/${MONTH}.xlsx`)).status).toBe(401);
  const asked = { reason: 'the auditor asked' };
  expect((await fina.post(`/periods/${MONTH}/reopen`, asked)).text).toContain('2026-03 would take entries again');
  await fina.post(`/periods/${MONTH}/reopen`, { ...asked, _confirmed: 'yes' });
  expect((await fina.get('/periods')).text).toContain('the auditor asked');
  expect((await fina.get(`/periods/${MONTH}/files/${MONTH}.xlsx`)).status).toBe(404);
  expect((await fina.get(`/periods/${monthAfter('2030-01')}`)).status).toBe(404);
  const actions = await database
    .db('actions')
    .whereLike('action', '% period')
    .orderBy('id')
    .select('action', 'actor', 'outcome');
  expect(actions.at(-1)).toEqual({ action: 'reopen period', actor: 'fina', outcome: 'done' });
});

function bytes(res: Response, done: (error: Error | null, body: Buffer) => void): void {
  const parts: Buffer[] = [];
  res.on('data', (part: Buffer) => parts.push(part));
  res.on('end', () => done(null, Buffer.concat(parts)));
}

it('has the income statement of the month and of its year, in the currency of the books', async () => {
  const asset = 'USDT.TRON';
  const { db } = database;
  await judgedBalance(db, { assetCode: asset, opening: '1000', balance: '1000', now: new Date(at(0)) });
  const rates = ['03-20,2', '04-20,3', '05-20,4'].map((one) => `2026-${one.replace(',', `,${asset},USD,`)}`);
  await giveRates(['date,asset,currency,rate', ...rates].join('\n'), { db, timeZone: 'UTC', currency: 'USD' });
  const paid = (id: string, month: string) => {
    const statusHistory = [{ status: 'confirmed', timestamp: `2026-${month}-20T10:00:00.000Z` }];
    return poll(
      'payout',
      payout(id, {
        assetCode: asset,
        payoutType: 'withdrawal',
        feeAmount: '1.25',
        feeBearer: 'merchant',
        status: 'confirmed',
        statusHistory,
      }),
      40,
    );
  };
  await save(database, [paid('po_mar', '03'), paid('po_apr', '04'), paid('po_may', '05')]);
  await postBooks(db);
  const { text } = await (await session('viewer')).get('/periods/2026-05');
  const cells = [...text.slice(text.indexOf('Income statement in USD')).matchAll(/<td[^>]*>(.*?)<\/td>/gs)]
    .map(([, cell = '']) =>
      cell
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .slice(0, 12);
  expect(cells.join('|')).toBe(
    'Income|0.00 USD|0.00 USD|expenses:fees:service|5.00 USD|11.25 USD|Expenses|5.00 USD|11.25 USD|Result|-5.00 USD|-11.25 USD',
  );
});
