import { beforeEach, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { checkPeriod } from '../../src/finance/periods/check-period.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { createLog } from '../../src/log.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { openedAt } from '../support/aged-breaks.js';
import { judgedBalance } from '../support/classified-balance.js';
import { closeMonth, reopenMonth } from '../support/closed-month.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const zone = { timeZone: 'UTC', currency: 'USD', table: defaultContract.movements };
const NOW = new Date('2026-11-22T12:00:00Z');
const database = useDatabase();
let asset: string;
let count = 0;

beforeEach(async () => {
  count += 1;
  asset = `C${count}.NET`;
  await judgedBalance(database.db, {
    assetCode: asset,
    opening: '100',
    balance: '111.5',
    now: new Date('2026-10-30T00:00:00Z'),
  });
  await postBooks(database.db);
  await database.db('runs').delete();
  // The break is as old as the reading.
  await openedAt(database.db, { entity_id: asset }, '2026-10-30T00:00:00Z');
  await database.db('balance_proofs').update({ agreed_at: NOW });
});

/** Two polls agree on what the balances are. */
const readAgain = (at: Date, of = asset) =>
  database.db('balance_proofs').where({ asset_code: of }).update({ agreed_at: at });

/** As a step says it. */
async function decided(status: string, resolved_at: Date | string | null) {
  const ids = await database.db('breaks').where({ entity_id: asset }).update({ status, resolved_at }).returning('id');
  await database.db('break_steps').insert(ids.map(({ id }) => ({ break_id: id, action: status, actor: 'fina' })));
}

async function attribute(amount: string, day?: string) {
  const on = day === undefined ? {} : { on: { day, timeZone: zone.timeZone } };
  const given = { assetCode: asset, amount, note: 'a deposit of our own', actor: 'fina', ...on };
  const result = await attributeBalance(database.db, given, NOW);
  await database.db('breaks').where({ entity_id: asset, status: 'auto_resolved' }).update({ resolved_at: NOW });
  return result;
}
const differing = async (month = '2026-10') =>
  (await checkPeriod(database.db, month, { ...zone, now: NOW })).missing.filter(
    ({ what, of }) => (what === 'closing_differs' || what === 'balance_unproven') && of === asset,
  );
const ran = (startedAt: string, complete = true) =>
  database.db('runs').insert({
    kind: 'balances',
    full: false,
    status: 'succeeded',
    complete,
    started_at: startedAt,
    finished_at: startedAt,
  });
const bookedIn = async () => {
  await postBooks(database.db);
  const { rows } = await database.db.raw(
    `SELECT to_char(entries.date, 'YYYY-MM-DD') AS day FROM entries JOIN entry_lines ON entry_id = entries.id
     WHERE record_kind = 'attribution' AND account = 'assets:operating' AND asset_code = ? ORDER BY entries.id`,
    [asset],
  );
  return rows.map(({ day }: { day: string }) => day);
};

it('what is unexplained is never what the service held, whatever became of its break', async () => {
  for (const status of ['open', 'acknowledged', 'written_off', 'resolved']) {
    const resolved_at = status === 'open' || status === 'acknowledged' ? null : NOW;
    if (status !== 'open') await decided(status, resolved_at);
    const [missing] = await differing();
    expect(missing?.told).toContain(
      `the books end 2026-10 with 100 ${asset}, and the service may have held 111.5: 11.5 is unexplained`,
    );
    expect(missing?.told.includes(`is ${status}: balance residual`)).toBe(resolved_at === null);
  }
});

it('is one exception, whatever of it is wrong: with what is unexplained, why it is not proven and each break that stands', async () => {
  const { id } = await database.db('breaks').where({ entity_id: asset }).first('id');
  const statuses = ['open', 'acknowledged', 'written_off', 'auto_resolved'] as const;
  for (const [unexplained, agreedAt, status] of ['11.5', '0'].flatMap((part) =>
    [NOW, new Date('2026-11-21T00:00:00Z')].flatMap((at) => statuses.map((one) => [part, at, one] as const)),
  )) {
    const stands = status === 'open' || status === 'acknowledged';
    await decided(status, stands ? null : NOW);
    await database.db('balance_proofs').where({ asset_code: asset }).update({ unexplained, agreed_at: agreedAt });
    const facts = [
      ...(unexplained === '0' ? [] : ['11.5 is unexplained']),
      ...(agreedAt === NOW ? [] : ['not compared with the records since']),
      ...(stands ? [`break ${id} is ${status}: balance residual`] : []),
    ];
    const { missing } = await checkPeriod(database.db, '2026-10', { ...zone, now: NOW });
    const own = missing.filter(
      ({ what, told }) => what !== 'unpriced_lines' && (told.includes(asset) || told.includes(`break ${id} `)),
    );
    expect(own.map(({ what, of, byReason }) => [what, of, byReason])).toEqual(
      facts.length === 0
        ? []
        : [[unexplained === '0' && agreedAt === NOW ? 'closing_differs' : 'balance_unproven', asset, true]],
    );
    for (const fact of facts) expect(own[0]?.told).toContain(fact);
  }
});

it('nor is that of a balance that no two polls agreed on, or that has a break', async () => {
  await attribute('11.5', '2026-10-30');
  await postBooks(database.db);
  await readAgain(new Date('2026-11-21T00:00:00Z'));
  expect((await differing()).map(({ told }) => told)).toEqual([
    `the books end 2026-10 with 111.5 ${asset}, and it is not proven that the service held that: not compared with the records since 2026-11-21T00:00:00.000Z`,
  ]);
  await readAgain(NOW);
  expect(await differing()).toEqual([]);
  await decided('acknowledged', null);
  expect((await differing())[0]?.told).toMatch(/is not proven that the service held that: break \d+ is acknowledged/);
});

it('nor is a break closed whose steps don’t say so', async () => {
  await attribute('11.5', '2026-10-30');
  await postBooks(database.db);
  expect(await differing()).toEqual([]);
  const hide = { status: 'resolved', resolved_at: NOW };
  await database.db('breaks').where({ entity_id: asset }).update(hide);
  expect((await differing())[0]?.told).toMatch(/: break \d+ is resolved, which its steps don’t say: balance residual$/);
  await database.db('break_steps').insert(
    (await database.db('breaks').where({ entity_id: asset }).pluck('id')).map((id) => ({
      break_id: id,
      action: 'resolved',
      actor: 'fina',
    })),
  );
  expect(await differing()).toEqual([]);
});

it('an attribution of a day of the month waits to be posted, and is not booked later', async () => {
  await attribute('11.5', '2026-10-30');
  const waiting = async () =>
    (await checkPeriod(database.db, '2026-10', { ...zone, now: NOW })).missing
      .filter(({ what, told }) => what === 'posting_behind' && told.includes(asset))
      .map(({ told }) => told);
  expect(await differing()).toEqual([]);
  expect(await waiting()).toEqual([
    expect.stringMatching(new RegExp(`^attribution \\d+, 11.5 ${asset} on 2026-10-30, waits to be posted$`)),
  ]);
  await postBooks(database.db);
  expect(await waiting()).toEqual([]);
});

it('a residual that was there at the month’s end and is booked later is missing, and takes a reason', async () => {
  await attribute('11.5');
  // Also before it is posted.
  expect(await differing()).toMatchObject([{ of: asset, byReason: true }]);
  expect(await bookedIn()).toEqual(['2026-11-22']);
  const [missing] = await differing();
  expect(missing?.told).toContain(`the books end 2026-10 with 100 ${asset}`);
  expect(missing?.told).toContain('11.5 of it on 2026-11-22');
  expect(missing?.told).toMatch(/attribution \d+/);
  const closing = { ...zone, db: database.db, log: createLog('silent'), chart: defaultChart, now: () => NOW };
  const asked = { month: '2026-10', actor: 'fina', reason: null };
  const refused = await closePeriod({ ...closing, table: defaultContract.movements }, asked);
  expect(refused.outcome).toBe('refused');
  expect(refused.missing).toContainEqual(missing);
  // The same is inside what November ends with.
  expect(await differing('2026-11')).toEqual([]);
});

it('what a proof of the balance since the month ended was without came after it', async () => {
  await openedAt(database.db, { entity_id: asset }, '2026-11-03T00:00:00Z');
  await attribute('11.5');
  expect(await differing()).toHaveLength(1);
  await ran('2026-10-31T23:59:59Z');
  await ran('2026-11-01T00:15:00Z', false);
  expect(await differing()).toHaveLength(1);
  await ran('2026-11-02T00:00:00Z');
  await ran('2026-11-03T00:00:00Z');
  expect(await differing()).toEqual([]);
});

it('a proof that had the residual shows nothing', async () => {
  await ran('2026-11-04T00:00:00Z');
  await attribute('11.5');
  await ran('2026-11-22T12:00:00Z');
  expect(await differing()).toHaveLength(1);
  // Closed by a person it is still there: only a judgement without it ends it.
  await decided('written_off', '2026-11-01');
  expect(await differing()).toHaveLength(1);
});

it('is booked on the day that finance names, and then nothing differs', async () => {
  expect(await attribute('11.5', '2026-10-30')).toMatchObject({ outcome: 'done' });
  expect(await bookedIn()).toEqual(['2026-10-30']);
  expect(await differing()).toEqual([]);
});

it('ends the break of what was unexplained, which says by what', async () => {
  const done = await attribute('11.5', '2026-10-30');
  const { id } = await database.db('breaks').where({ entity_id: asset }).first('id');
  const steps = await database.db('break_steps').where({ break_id: id }).orderBy('id').select('action', 'note');
  expect(steps.at(-1)).toEqual({ action: 'auto_resolved', note: `attribution ${'id' in done ? done.id : ''} by fina` });
});

it.each([
  ['2026-11-23', 'is yet to come'],
  ['2026-10-29', 'begin on 2026-10-30'],
  ['2026-02-30', 'is no day'],
])('never on a day that can’t be (%s)', async (day, why) => {
  // As if the refusal before it were longer ago: the same again within a minute is only counted.
  expect(await attribute('11.5', day)).toMatchObject({ outcome: 'wrong_day', why: expect.stringContaining(why) });
  expect(await bookedIn()).toEqual([]);
  const actions = await database.db('actions').where({ target: `balance ${asset}` });
  expect(actions).toMatchObject([{ outcome: 'refused' }]);
});

it('of a month that is closed, it stands in the next open one and names the month', async () => {
  await closeMonth(database.db, '2026-10');
  expect(await attribute('11.5', '2026-10-30')).toMatchObject({ outcome: 'done', adjusts: '2026-10' });
  expect(await bookedIn()).toEqual(['2026-11-01']);
  const entries = database.db('entries').join('entry_lines', 'entry_id', 'entries.id').where({ asset_code: asset });
  expect(await entries.where({ record_kind: 'attribution' }).distinct('month', 'adjusts')).toEqual([
    { month: '2026-11', adjusts: '2026-10' },
  ]);
  await reopenMonth(database.db, '2026-10');
  // The month that was closed without it says so.
  expect(await differing()).toHaveLength(1);
});

it('what is dated by our first sight of it may be of the month before, until a proof was without it', async () => {
  const now = new Date();
  const begin = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const before = new Date(begin.getTime() - 86_400_000);
  const month = before.toISOString().slice(0, 7);
  const other = 'SEEN.NET';
  await judgedBalance(database.db, { assetCode: other, opening: '100', balance: '100', now: before });
  const about = { payoutType: 'withdrawal', amount: '7', feeBearer: 'merchant', status: 'confirmed', accountId: null };
  const timeless = { assetCode: other, createdAt: null, updatedAt: null };
  await save(database, [poll('payout', payout('po_seen', { ...about, ...timeless }), 0)]);
  await postBooks(database.db);
  const missing = async () =>
    (await checkPeriod(database.db, month, { ...zone, now })).missing.filter(({ of }) => of === other);
  await readAgain(now, other);
  expect(await missing()).toMatchObject([
    { what: 'closing_differs', told: expect.stringContaining('(payout po_seen)') },
  ]);
  await ran(begin.toISOString());
  expect(await missing()).toEqual([]);
});
