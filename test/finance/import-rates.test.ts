import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { normalizeAmount, sumAmounts } from '../../src/domain/money.js';
import type { EntryView } from '../../src/domain/views/books-shapes.js';
import { askDecision, decide } from '../../src/finance/decisions/decisions.js';
import { importRatesFile } from '../../src/finance/import-rates.js';
import { createLog } from '../../src/log.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';
import { useShell } from '../support/shell.js';

const ASSET = 'USDT.TRON';
const database = useDatabase();

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '100', now: new Date(at(0)) });
  await postBooks(database.db);
  await save(database, [
    poll('payment_intent', paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-01T10:00:00.000Z' }), 20),
    poll('asset', { id: 'TRX' }, 20),
  ]);
  await postBooks(database.db);
}, 60_000);

const shell = useShell(database);
const listed = async (...words: string[]) =>
  (await shell('books', 'rates', 'list', '--from', '2026-03-01', '--to', '2026-03-31', ...words)) as {
    code: number;
    stdout: string;
    json: { items: { date: string; assetCode: string; rate: string | null; waiting: object | null }[] };
  };

const taken = (lines: string[], dryRun = false, accepted: string[] = []) =>
  importRatesFile(['date,asset,currency,rate', ...lines].join('\n'), {
    db: database.db,
    now: new Date(),
    timeZone: 'UTC',
    currency: 'USD',
    chart: defaultChart,
    actor: 'ann',
    dryRun,
    accepted,
  });
const kept = async () => ({
  given: await database.db('given_rates').count().first(),
  rates: await database.db('entry_rates').count().first(),
  actions: await database.db('actions').count().first(),
});

it('takes no file with an asset that was never seen, or a currency that is not the books’, and names each line', async () => {
  const before = await kept();
  for (const dryRun of [true, false])
    expect(
      await taken(
        [
          `2026-03-01,${ASSET},USD,0.9`,
          '2026-03-01,USTD.TRC20,USD,0.9',
          `2026-03-01,${ASSET},GBP,0.9`,
          '2026-03-01,TRX,USD,0',
        ],
        dryRun,
      ),
    ).toEqual({
      outcome: 'refused',
      problems: [
        'line 3: USTD.TRC20 was never seen here: not in the catalog, nor in a balance, a movement or the books',
        'line 4: GBP is not the currency of the books: REPORTING_CURRENCY is USD',
        'line 5: the rate is zero; leave the line out where there is no rate',
      ],
    });
  expect(await kept()).toEqual(before);
});

it('lists the days that wait for a rate, with what waits and how it is given', async () => {
  const lines = await database
    .db('entry_lines')
    .join('entries', 'entries.id', 'entry_id')
    .where({ asset_code: ASSET })
    .select('amount', { date: database.db.raw('day::text') });
  const dates = [...new Set(lines.map(({ date }) => date))].toSorted((a, b) => b.localeCompare(a));
  expect(dates.length).toBeGreaterThan(0);
  const items = dates.map((date) => {
    const own = lines.filter((one) => one.date === date).map(({ amount }) => normalizeAmount(amount));
    const waiting = { lines: own.length, quantity: sumAmounts(own.filter((amount) => !amount.startsWith('-'))) };
    return { date, assetCode: ASSET, currency: 'USD', rate: null, replaced: null, actor: null, givenAt: null, waiting };
  });
  expect(await listed('--json')).toMatchObject({ code: 3, json: { items } });
  expect(await listed('--json', '--asset', 'TRX')).toMatchObject({ code: 0, json: { items: [] } });
  const { code, stdout } = await listed();
  expect(code).toBe(3);
  expect(stdout).toMatch(/ 2026-03-01 .* missing +│ \d lines?, [\d.]+ +│/);
  expect(stdout).toContain(`give it: tallyhook books rates import FILE`);
  expect(stdout).toContain(`\ndate,asset,currency,rate\n2026-03-01,${ASSET},USD,\n`);
});

it('says by a dry run what it would value, and keeps nothing of it', async () => {
  const lines = [`2026-03-01,${ASSET},USD,0.99`, '2026-03-01,TRX,USD,0.3'];
  const before = await kept();
  expect(await taken(lines, true)).toMatchObject({
    outcome: 'asks',
    problems: [`2026-03:${ASSET}`, '2026-03:TRX'].map((name) =>
      expect.stringContaining(`${name}: nothing else is known`),
    ),
  });
  const accepted = [`2026-03:${ASSET}`, '2026-03:TRX'];
  const would = await taken(lines, true, accepted);
  expect(await kept()).toEqual(before);
  const done = await taken(lines, false, accepted);
  expect(done).toMatchObject({ outcome: 'done', rates: 2 });
  expect(would).toEqual({ ...done, outcome: 'would' });
  expect('valued' in done && done.valued).toBeGreaterThan(0);
  const again = await taken(lines, true, accepted);
  expect(again).toMatchObject({ outcome: 'would', rates: 2, valued: 0, closed: [], replaced: [] });
});

it('leaves at an entry what it was worth before, and whose file and decision made it another', async () => {
  const text = `date,asset,currency,rate\n2026-03-01,${ASSET},USD,0.98\n`;
  const { db } = database;
  const books = { timeZone: 'UTC', currency: 'USD', table: defaultContract.movements, chart: defaultChart };
  const deps = { ...books, db, log: createLog('silent'), now: () => new Date() };
  const request = {
    action: 'import rates',
    input: { text, accepted: [`2026-03:${ASSET}`] },
    reason: 'a typing error',
  } as const;
  const asked = await askDecision(deps, request, { name: 'fina', role: 'finance' });
  if (asked.outcome !== 'waits') throw new Error(asked.why);
  const given = { id: asked.decision.id, verdict: 'approve', note: 'seen' } as const;
  expect(await decide(deps, given, { name: 'ada', role: 'admin' })).toMatchObject({ outcome: 'done' });
  const { items } = await listEntries(db, { take: 9, recordKind: 'payment_intent' });
  const about = { assetCode: ASSET, currency: 'USD' };
  expect(items).toHaveLength(1);
  expect(items[0]?.revaluations).toEqual([
    { ...about, before: null, rate: '0.99', actor: 'ann', decision: null, approvedBy: null, ...fileOf(items, 0) },
    {
      ...about,
      before: '0.99',
      rate: '0.98',
      actor: 'fina',
      decision: given.id,
      approvedBy: 'ada',
      ...fileOf(items, 1),
    },
  ]);
  expect(fileOf(items, 1).file).toBe(createHash('sha256').update(text).digest('hex'));
});
const fileOf = ([entry]: EntryView[], n: number) => {
  const { at: when = '', file = null } = entry?.revaluations[n] ?? {};
  return { at: when, file };
};

it('asks before it takes a rate that is more than a fifth from what else is known, and keeps who accepted it', async () => {
  const lines = [`2026-03-02,${ASSET},USD,0.0001`, `2026-03-03,${ASSET},USD,0.98`];
  const before = await kept();
  expect(await taken(lines)).toEqual({
    outcome: 'asks',
    problems: [
      `line 2: 0.0001 USD for ${ASSET} is far from that of 2026-03-01, 0.98`,
      `line 3: 0.98 USD for ${ASSET} is far from that of 2026-03-02, 0.0001, which is asked about too`,
    ],
  });
  expect(await taken(lines, false, ['2'])).toMatchObject({
    outcome: 'asks',
    problems: [expect.stringMatching(/^line 3/)],
  });
  expect(await taken(lines, false, ['2', '3', '2026-03-01:BTC'])).toEqual({
    outcome: 'refused',
    problems: ['2026-03-01:BTC: nothing is asked about it'],
  });
  expect(await kept()).toEqual(before);
  expect(await taken(lines, false, ['2', `2026-03-03:${ASSET}`])).toMatchObject({ outcome: 'done', rates: 2 });
  const action = await database.db('actions').orderBy('id', 'desc').first('details');
  expect(JSON.stringify(action?.details)).toContain('is far from that of 2026-03-01');
});

it('holds a correction against the days around it, never against the rate that the file replaces', async () => {
  // Given wrong above: 0.0001 for 2026-03-02.
  expect(await taken([`2026-03-03,${ASSET},USD,0.97`], true)).toMatchObject({ outcome: 'asks' });
  const lines = [`2026-03-02,${ASSET},USD,0.99`, `2026-03-03,${ASSET},USD,0.97`];
  expect(await taken(lines)).toMatchObject({
    outcome: 'done',
    accepted: [],
    replaced: [expect.stringMatching(/^line 2/), expect.stringMatching(/^line 3/)],
  });
});
