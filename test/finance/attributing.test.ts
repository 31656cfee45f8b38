import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { type ContraAccount, contraNames, defaultChart } from '../../src/domain/books/chart.js';
import { negated } from '../../src/domain/money.js';
import { askDecision, decide } from '../../src/finance/decisions/decisions.js';
import { verifyBooks } from '../../src/finance/verify-books.js';
import { createLog } from '../../src/log.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { listAttributions } from '../../src/records/balances/balance-views.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { exportsOf } from '../support/exported-books.js';
import { useFolder } from '../support/folder.js';
import { giveRates } from '../support/given-rates.js';
import { at } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';

const database = useDatabase();
const folder = useFolder();
const ASSET = 'USDT.TRON';
const DAY = '2026-04-03';
const books = { timeZone: 'UTC', currency: 'USD', table: defaultContract.movements };
const deps = () => ({
  ...books,
  chart: defaultChart,
  db: database.db,
  log: createLog('silent'),
  now: () => new Date(),
});

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: ASSET, opening: '1000', balance: '5000', now: new Date(at(0)) });
  await postBooks(database.db);
}, 60_000);

const giveRate = (rate: string) =>
  giveRates(`date,asset,currency,rate\n${DAY},${ASSET},USD,${rate}\n`, { ...books, db: database.db });

async function ask() {
  const input = { assetCode: ASSET, amount: '2500.5', on: DAY, contra: 'equity:attributed' };
  const asked = await askDecision(
    deps(),
    {
      action: 'attribute balance',
      input,
      reason: 'paid in by the owners, "resolution" 7; see the minutes of the board',
    },
    { name: 'fina', role: 'finance' },
  );
  if (asked.outcome !== 'waits') throw new Error(asked.why);
  return asked.decision;
}
const approve = (id: string) =>
  decide(deps(), { id, verdict: 'approve', note: 'seen' }, { name: 'ada', role: 'admin' });

it('shows accounts, day and money before it is done, and is done only as it was shown', async () => {
  expect((await ask()).preview).toContain('It has no value in USD: the service had shown no rate');
  await giveRate('0.9');
  const stale = await ask();
  expect(stale.preview?.split('\n')).toEqual([
    `2500.5 ${ASSET} will be attributed on ${DAY}: capital, and other funds of the owners.`,
    `Booked: assets:operating debit 2500.5 ${ASSET}; equity:attributed credit 2500.5 ${ASSET}.`,
    `Worth 2250.45 USD, at the rate 0.9 of ${DAY}.`,
    `After it 1499.5 ${ASSET} are unexplained, 0 ${ASSET} not shown.`,
  ]);
  await giveRate('0.91');
  expect(await approve(stale.id)).toMatchObject({ decision: { state: 'expired' } });
}, 60_000);

it('says in entry, journal and batch who said what, and who approved it', async () => {
  const { id: decision } = await ask();
  expect(await approve(decision)).toMatchObject({ decision: { state: 'approved' } });
  await postBooks(database.db);
  const [said] = await listAttributions(database.db, ASSET);
  expect(said).toMatchObject({
    bookedOn: DAY,
    contra: 'equity:attributed',
    actor: 'fina',
    decision,
    approvedBy: 'ada',
  });
  const [action] = await database.db('actions').where({ action: 'attribute balance', outcome: 'done' });
  expect(action.details).toMatchObject({ attribution: said?.id, contra: 'equity:attributed', approvedBy: 'ada' });
  const { items } = await listEntries(database.db, { take: 1, recordKind: 'attribution', recordId: said?.id });
  const told = `paid in by the owners, "resolution" 7; see the minutes of the board (attribution ${said?.id} by fina, approved by ada, decision ${decision})`;
  expect(items).toMatchObject([{ date: DAY, description: told }]);
  const { write, text } = exportsOf(database, folder);
  const datev = { consultant: 29_098, client: 55_003, other: '1590' };
  await write('2026-04', 'journal');
  await write('2026-04', 'datev', { ...defaultChart, datev: { ...datev, accounts: { 'equity:attributed': '2900' } } });
  await write('2026-04', 'hledger');
  expect(await text('2026-04-journal.csv')).toContain(told.replaceAll('"', '""'));
  const batch = await text('EXTF_2026-04.csv', 'latin1');
  expect(batch).toContain('1590;2900;');
  expect(batch).toContain(`;"Text";"${told.replaceAll('"', '""')}"`);
  expect(await text('2026-04.journal')).toContain(`approved by ada, decision ${decision})`);
}, 60_000);

it('stands against the account that is named, and the books agree with the balance', async () => {
  const some = fc.array(
    fc.record({ cents: fc.integer({ min: 1, max: 900 }), contra: fc.constantFrom(...contraNames) }),
    {
      minLength: 2,
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(some, async (given) => {
      for (const { cents, contra } of given) {
        const amount = `0.${String(cents).padStart(3, '0')}`;
        const result = await attributeBalance(database.db, {
          assetCode: ASSET,
          amount,
          contra,
          note: 'n',
          actor: 'fina',
        });
        if (result.outcome !== 'done') throw new Error(result.outcome);
        await postBooks(database.db);
        expect(await linesOf(result.id)).toEqual({
          [contra]: negated(shortest(amount)),
          'assets:operating': shortest(amount),
        });
      }
      expect(await findings()).toEqual([]);
    }),
    { numRuns: 5 },
  );
}, 120_000);

it('is named by the audit where its action says another account', async () => {
  const row = { asset_code: ASSET, amount: '1', note: 'n', actor: 'eve', contra: 'income:attributed' };
  await database.db.transaction(async (trx) => {
    const [one] = await trx('balance_attributions').insert(row, 'id');
    const details = { attribution: String(one.id), amount: '1', contra: 'liabilities:attributed' };
    const about = { actor: 'eve', action: 'attribute balance', target: `balance ${ASSET}`, reason: 'n', details };
    await recordAction(trx, { ...about, outcome: 'done' });
  });
  expect(await findings()).toContain('action_missing');
}, 60_000);

const shortest = (amount: string) => amount.replace(/0+$/, '');

async function linesOf(id: string): Promise<Record<ContraAccount | 'assets:operating', string>> {
  const { items } = await listEntries(database.db, { take: 1, recordKind: 'attribution', recordId: id });
  return Object.fromEntries((items[0]?.lines ?? []).map(({ account, amount }) => [account, amount])) as never;
}

async function findings(): Promise<string[]> {
  const kinds: string[] = [];
  await verifyBooks(
    { ...books, db: database.db },
    { records: null, reportFinding: ({ what }) => void kinds.push(what) },
  );
  return kinds;
}
