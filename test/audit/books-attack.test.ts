import fc from 'fast-check';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { askDecision, decide } from '../../src/finance/decisions/decisions.js';
import { checkPeriod } from '../../src/finance/periods/check-period.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { wholeBooks } from '../../src/finance/verify-books.js';
import { createLog } from '../../src/log.js';
import { sealHead } from '../../src/records/audit/list-seals.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import type { KnownSeal } from '../../src/records/audit/verify-head.js';
import { verifySeals } from '../../src/records/audit/verify-seals.js';
import { workInMovements } from '../../src/records/balances/balance-movements.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { markSettlement } from '../../src/records/books/settlements.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { BESIDE } from '../support/attacks-beside.js';
import {
  ASSET,
  ATTACKS,
  acted,
  altered,
  atRate,
  BY_ACTION,
  FALSE_RATES,
  forged,
  OTHERS,
  RATES_CHANGED,
  RATES_SAID,
  REOPENED,
  type Statement,
} from '../support/books-attacks.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { giveRates } from '../support/given-rates.js';
import { at, poll } from '../support/observations.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { rebooked } from '../support/rebooked.js';
import { paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { showRates } from '../support/shown-rates.js';
import { isLong, sized } from '../support/sizes.js';

const RUNS = sized(60, 1_500);
const PLACE = isLong ? fc.nat() : fc.constant(0);
const database = useDatabase();
const now = () => new Date();
const table = defaultContract.movements;
const books = { table, timeZone: 'UTC', currency: 'USD' };
let head: KnownSeal;

/** March is closed, with an attribution and a given rate; April is open; all is sealed. */
beforeAll(async () => {
  const { db } = database;
  await judgedBalance(db, { assetCode: ASSET, opening: '5000', balance: '4000', now: new Date(at(0)) });
  await save(database, [
    poll('payment_intent', paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-02T15:00:00.000Z' }), 20),
    withdrawal('po_1', '2026-03-20T10:00:00.000Z'),
    withdrawal('po_2', '2026-04-20T10:00:00.000Z'),
    withdrawal('po_bank', '2026-04-21T10:00:00.000Z', { payoutType: 'settlement', amount: '3' }),
  ]);
  await showRates(db, [{ assetCode: ASSET, rate: '1', at: Date.parse('2026-04-15T10:00:00Z') }]);
  await postBooks(db);
  const said = { assetCode: ASSET, amount: '-10', note: 'a settlement', actor: 'ann' };
  await attributeBalance(db, said, new Date('2026-04-03'));
  await rebooked(db, ASSET, '2026-04-03');
  const settlements = { ...books, settlementDays: 5 };
  const mark = { payoutId: 'po_bank', amount: '9', on: '2026-04-22', note: 'on the statement', actor: 'ann' };
  expect(await markSettlement(db, mark, settlements, now())).toMatchObject({ outcome: 'done' });
  const given = `date,asset,currency,rate\n2026-04-20,${ASSET},USD,1.25\n`;
  await giveRates(given, { ...books, db, now: now() });
  const closing = { ...books, db, log: createLog('silent'), chart: defaultChart, now: () => new Date('2026-05-02') };
  const closed = await closePeriod(closing, { month: '2026-03', actor: 'fina', reason: 'known' });
  expect(closed).toMatchObject({ outcome: 'closed' });
  const asking = { action: 'reopen period', input: { month: '2026-03' }, reason: 'a late invoice' } as const;
  for (const verdict of ['refuse', null] as const) {
    const asked = await askDecision(closing, asking, { name: 'fina', role: 'finance' });
    const id = asked.outcome === 'waits' ? asked.decision.id : '';
    if (verdict !== null) await decide(closing, { id, verdict, note: 'no' }, { name: 'ada', role: 'admin' });
  }
  expect(await db('decisions').orderBy('id').pluck('state')).toEqual(['refused', 'waiting']);
  await sealRows({ db, now });
  head = (await sealHead(db)) ?? { number: '0', hash: '' };
  expect(await bookFindings(db)).toEqual([]);
}, 120_000);

function withdrawal(id: string, timestamp: string, fields = {}, second = 30) {
  const about = { payoutType: 'withdrawal', amount: '100', feeAmount: '0.5', feeBearer: 'merchant' };
  const statusHistory = [{ status: 'confirmed', timestamp, source: 'chain' }];
  return poll('payout', payout(id, { ...about, status: 'confirmed', statusHistory, ...fields }), second);
}

/** What came of it; afterwards all is as it was. */
async function after(statements: readonly Statement[], options: { expected?: KnownSeal[] } = {}): Promise<string[]> {
  const { db } = database;
  const undo = new Error('undo');
  let found: string[] = [];
  await db
    .transaction(async (trx) => {
      try {
        for (const one of statements) await (typeof one === 'string' ? trx.raw(one) : one(trx));
        await trx.raw('SET CONSTRAINTS ALL IMMEDIATE');
      } catch (error) {
        found = [`refused: ${(error as Error).message}`];
        throw undo;
      }
      const also = wholeBooks({ ...books, db: trx });
      await verifySeals(trx, {
        ...options,
        also,
        onFinding: ({ what, told }) => void found.push(`${what}: ${told}`),
      });
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

it('knows every table: one that is new is attacked, or is none of the books', async () => {
  const names: string[] = await database.db('pg_tables').where({ schemaname: 'public' }).pluck('tablename');
  const unknown = names.filter((name) => !(name in ATTACKS) && !OTHERS.has(name));
  expect(unknown).toEqual([]);
  expect(Object.keys(ATTACKS).filter((name) => !names.includes(name))).toEqual([]);
});

/** What these say of rows to be posted is tried where there is such a row: balances are held against the books where there is none. */
const ofProgress = (name: string) => name.startsWith('posting_');

const all = Object.entries(ATTACKS).flatMap(([name, changes]) =>
  Object.entries(changes).map(([change, [statements, fate]]) => ({
    name,
    change,
    statements: [statements].flat(),
    fate,
  })),
);

const attacks = all.filter(({ name }) => !ofProgress(name));

async function tried({ statements, fate }: (typeof all)[number]): Promise<void> {
  const found = await after(statements);
  if ('refused' in fate) expect(found).toEqual([expect.stringContaining(fate.refused)]);
  else if ('named' in fate) expect(found[0]).toMatch(`${fate.named}: `);
  else expect(found).toEqual([]);
}

describe('by the application’s own role', () => {
  it.each([...attacks, ...BESIDE])('$change of $name is refused or named', tried);

  it('names an entry that leaves the balance as it is, and one of a record that there is not', async () => {
    const [first] = await after([forged('2026-04', ['income:payments', 'equity:withdrawals'])]);
    expect(first).toMatch('entry_differs: the entries of payout po_2 (forged) are not what it comes to');
    const unfounded = await after([forged('2026-04', ['income:payments', 'equity:withdrawals'], 'po_none')]);
    expect(unfounded).toEqual([
      expect.stringMatching('entry_differs: entry .* of payout po_none, and there is none such'),
    ]);
  });

  it('a month is not opened, posted in and closed again by statements alone', async () => {
    const again = `UPDATE periods SET status = 'closed', closed_at = now(), closed_by = 'eve', closings = 2, reason = 'y'`;
    const post = forged('2026-03', ['assets:operating', 'equity:withdrawals']);
    expect(await after([post])).toEqual([expect.stringContaining('the month 2026-03 is closed')]);
    const plain = await after([REOPENED, post, again]);
    expect(plain).toEqual([expect.stringContaining(BY_ACTION.refused)]);
    // With forged actions, which are sealed under that name, the closing has stored nothing.
    const acts = [REOPENED, acted('reopen period', 'x'), post, again, acted('close period', 'y')];
    const found = await after(acts);
    expect(found).toContain('accounts_differ: 2026-03: it is closed, and nothing is stored of its accounts');
    expect(found.join('\n')).toMatch(/balance_differs: the books hold .* a difference of -1000/);
  });

  it('what is put in line to be posted comes to nothing', async () => {
    await database.db('posting_due').insert({ record_kind: 'payout', record_id: 'po_1' });
    expect(await postBooks(database.db)).toMatchObject({ entries: 0, complete: true });
    expect(await bookFindings(database.db)).toEqual([]);
  });
});

it.each(FALSE_RATES)(
  'an entry that is posted at %s, which nobody gave and nothing showed, is named',
  async (rate, about) => {
    const told = expect.stringMatching(/^entry_differs: entry \d+ is valued at \d+ USD for one /);
    expect(await after(atRate(rate, about))).toContainEqual(told);
    expect(await after(atRate(`1, 'service'`))).not.toContainEqual(told);
  },
);

it.each(RATES_SAID)('an entry that is posted at a rate %s is named', async (_, statements) => {
  const told = expect.stringMatching(/^entry_differs: entry \d+ is valued at 50 USD for one /);
  expect(await after([...statements, ...atRate(`50, 'service'`)])).toContainEqual(told);
});

it.each(RATES_CHANGED)('rates that the service showed stay: %s is refused', async (statement) => {
  expect(await after([statement])).toEqual([expect.stringContaining('append-only')]);
});

it('an opening that is to come is named by verify, and by the check of a month, also where its balance says the same', async () => {
  const checked: string[] = [];
  const found = await after([
    `INSERT INTO balance_proofs (asset_code, opening_balance, opening_at, opened_at, asked_at) VALUES ('BTC', 0, '2036-01-01', now(), now())`,
    `INSERT INTO opened_assets (asset_code, balance, opened_at) VALUES ('BTC', 0, '2036-01-01')`,
    async (trx) => {
      const { missing } = await checkPeriod(trx, '2026-04', { ...books, now: new Date('2026-05-02') });
      checked.push(...missing.map(({ what, told }) => `${what}: ${told}`));
    },
  ]);
  expect(found[0]).toMatch('balance_differs: the books of BTC open with 0 at 2036-');
  expect(checked).toContainEqual(expect.stringMatching('books_differ: the books of BTC open with 0 at 2036-'));
});

const OWNER = 'SET LOCAL session_replication_role = replica';
/** All seals made anew over what there is now. */
const SEALED_ANEW: Statement[] = [
  'DELETE FROM seals',
  'DELETE FROM seal_checks',
  `UPDATE seal_head SET number = 0, hash = repeat('0', 64)`,
  (trx) => sealRows({ db: trx, now }),
];
/** Where the order of rows is sealed. */
const SEALED =
  'entries entry_lines entry_rates given_rates balance_attributions opened_assets period_files actions'.split(' ');
describe('by the owner of the database, with triggers disabled', () => {
  const cases = all.filter(
    ({ name, change, fate }) =>
      (!ofProgress(name) || (name === 'posting_progress' && change !== 'update')) &&
      !('refused' in fate && fate.refused === 'duplicate key value'),
  );

  it.each(cases)('$change of $name is named', async ({ statements }) => {
    const found = await after([OWNER, ...statements], { expected: [head] });
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).not.toMatch(/^refused/);
  });

  it.each(SEALED)(
    'a chain made anew over a changed row of %s is named by the head that was kept outside',
    async (name) => {
      const statements = [OWNER, ...[ATTACKS[name]?.update[0] ?? []].flat(), ...SEALED_ANEW];
      const told = await after(statements, { expected: [head] });
      expect(told.at(-1)).toMatch(/^seal_(changed|missing): expected was seal/);
    },
  );
});

it('an entry that got into a closed month is named by verify, and by the check of the next month, which stays open', async () => {
  const post = forged('2026-03', ['income:payments', 'equity:withdrawals']);
  const checked: string[] = [];
  const check = async (trx: Knex.Transaction) => {
    const { missing } = await checkPeriod(trx, '2026-04', { ...books, now: new Date('2026-05-02') });
    checked.push(...missing.filter(({ byReason }) => !byReason).map(({ what, told }) => `${what}: ${told}`));
  };
  const found = await after([OWNER, post, check]);
  const late = expect.stringMatching(/^entry_late: entry \d+ was posted at \S+ into 2026-03, which was closed at /);
  const sums = expect.stringMatching(/^accounts_differ: 2026-03, .*: the lines come to /);
  expect(found).toEqual(expect.arrayContaining([late, sums]));
  expect(checked).toEqual(expect.arrayContaining([expect.stringMatching(/^books_changed: entry \d+ was posted at/)]));
});

it('one field of one row of the books, changed by whomever, is refused or named', async () => {
  const { db } = database;
  // Of a break what its steps and the action of a write-off say is held; sums are kept where a page asked for them; the number of
  // the one mark of a settlement says nothing: its place among others would.
  const unsealed = ['posting_progress', 'posting_due', 'seal_checks', 'breaks', 'money_sums'];
  const columns: Record<'table_name' | 'column_name' | 'data_type', string>[] = await db('information_schema.columns')
    .where({ table_schema: 'public' })
    .whereIn(
      'table_name',
      Object.keys(ATTACKS).filter((name) => !unsealed.includes(name)),
    )
    .whereNot({ table_name: 'settlement_arrivals', column_name: 'id' })
    .orderBy(['table_name', 'ordinal_position'])
    .select('table_name', 'column_name', 'data_type');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...columns), PLACE, async ({ table_name, column_name, data_type }, n) => {
      const rows = Number((await db(table_name).count('* as rows').first())?.['rows']);
      const [row] = await db(table_name)
        .orderByRaw('ctid')
        .offset(n % rows)
        .limit(1)
        .select(db.raw('ctid::text'));
      const set = `UPDATE ${table_name} SET ${column_name} = ${altered(column_name, data_type)} WHERE ctid = '${row.ctid}'`;
      const identity = `ALTER TABLE ${table_name} ALTER COLUMN ${column_name} DROP IDENTITY IF EXISTS`;
      const found = await after([OWNER, identity, set], { expected: [head] });
      expect(found, set).not.toEqual([]);
    }),
    { numRuns: RUNS, examples: isLong ? columns.map((column): [typeof column, number] => [column, 0]) : [] },
  );
}, 300_000);

describe('where something is to be posted still', () => {
  beforeAll(async () => {
    await save(database, [withdrawal('po_3', '2026-04-21T10:00:00.000Z', {}, 40)]);
    await workInMovements(database.db, table);
  });

  it.each(all.filter(({ name }) => ofProgress(name)))('$change of $name is refused or named', tried);
});
