import fc from 'fast-check';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { wholeBooks } from '../../src/finance/audit/verify-books.js';
import { importRatesFile } from '../../src/finance/import-rates.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { createLog } from '../../src/log.js';
import { sealHead } from '../../src/records/audit/list-seals.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import type { KnownSeal } from '../../src/records/audit/verify-head.js';
import { verifySeals } from '../../src/records/audit/verify-seals.js';
import { workInMovements } from '../../src/records/balances/balance-movements.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const RUNS = process.env['TALLYHOOK_LONG'] === undefined ? 60 : 1_500;
const ASSET = 'USDT.TRON';
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
  ]);
  await postBooks(db);
  await attributeBalance(
    db,
    { assetCode: ASSET, amount: '-10', note: 'a settlement', actor: 'ann' },
    new Date('2026-04-03'),
  );
  const given = `date,asset,currency,rate\n2026-04-20,${ASSET},USD,1.25\n`;
  await importRatesFile(given, { ...books, db, now: now(), actor: 'ann', dryRun: false });
  const closing = { ...books, db, log: createLog('silent'), chart: defaultChart, now: () => new Date('2026-05-02') };
  const closed = await closePeriod(closing, { month: '2026-03', actor: 'fina', reason: 'known' });
  expect(closed).toMatchObject({ outcome: 'closed' });
  await sealRows({ db, now });
  head = (await sealHead(db)) ?? { number: '0', hash: '' };
  expect(await bookFindings(db)).toEqual([]);
}, 120_000);

function withdrawal(id: string, timestamp: string, fields = {}, second = 30) {
  const about = { payoutType: 'withdrawal', amount: '100', feeAmount: '0.5', feeBearer: 'merchant' };
  const statusHistory = [{ status: 'confirmed', timestamp, source: 'chain' }];
  return poll('payout', payout(id, { ...about, status: 'confirmed', statusHistory, ...fields }), second);
}

type Statement = string | ((trx: Knex.Transaction) => Promise<unknown>);
/** `refused`: by the database, with these words. `named`: what a verification says first. `harmless`: nothing of the books follows from it. */
type Fate = { refused: string } | { named: string } | { harmless: string };
type Attack = readonly [statements: Statement | readonly Statement[], fate: Fate];
type Change = 'insert' | 'update' | 'delete' | 'truncate';

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

const APPEND = { refused: 'append-only' };
const appendOnly = (table: string, set: string): Record<'update' | 'delete' | 'truncate', Attack> => ({
  update: [`UPDATE ${table} SET ${set}`, APPEND],
  delete: [`DELETE FROM ${table}`, APPEND],
  truncate: [`TRUNCATE ${table} CASCADE`, APPEND],
});
const kept = (table: string, insert: string, set: string): Record<Change, Attack> => {
  const refused = { refused: `${table} is kept with the entries` };
  return {
    insert: [insert, refused],
    update: [`UPDATE ${table} SET ${set}`, refused],
    delete: [`DELETE FROM ${table}`, refused],
    truncate: [`TRUNCATE ${table}`, refused],
  };
};

const BY_ACTION = { refused: 'changes only beside the action that closes or reopens it' };
/** An entry that adds up, in a month, past the program. */
const forged = (month: string, accounts: readonly [string, string], record = 'po_2') => `
  WITH made AS (
    INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, written)
    VALUES ('payout', '${record}', 'forged', 1, 'entry', '${month}', '${month}-15', now(), '${month}-15', 'created', 'forged', '[]', 0)
    RETURNING id)
  INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
  SELECT id, line, account, '${ASSET}', amount FROM made, (VALUES (0, '${accounts[0]}', -1000), (1, '${accounts[1]}', 1000))
    AS legs (line, account, amount)`;
const REOPENED = `UPDATE periods SET status = 'open', reopened_at = now(), reopened_by = 'eve', reason = 'x' WHERE month = '2026-03'`;
const acted = (action: string, reason: string) =>
  `INSERT INTO actions (actor, action, target, reason, outcome) VALUES ('eve', '${action}', 'period 2026-03', '${reason}', 'done')`;
const SKIP = 'UPDATE posting_progress SET seq = (SELECT seq FROM movements_progress)';

/** By the application's own role, with every trigger in place. */
const ATTACKS: Readonly<Record<string, Record<Change, Attack>>> = {
  periods: {
    insert: [
      `INSERT INTO periods (month, status, closed_at, closed_by, closings) VALUES ('2026-04', 'closed', now(), 'eve', 1)`,
      BY_ACTION,
    ],
    update: [REOPENED, BY_ACTION],
    delete: [`DELETE FROM periods`, APPEND],
    truncate: [`TRUNCATE periods CASCADE`, APPEND],
  },
  entries: {
    insert: [forged('2026-04', ['assets:operating', 'equity:withdrawals']), { named: 'balance_differs' }],
    ...appendOnly('entries', `description = 'other'`),
  },
  entry_lines: {
    insert: [
      `INSERT INTO entry_lines (entry_id, line, account, asset_code, amount) SELECT id, 90, 'assets:operating', '${ASSET}', 1
       FROM entries WHERE month = '2026-04'`,
      { refused: 'gets no more lines' },
    ],
    ...appendOnly('entry_lines', 'amount = amount * 2'),
  },
  entry_rates: {
    insert: [
      `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at)
       SELECT id, '${ASSET}', 'USD', 9, 'file', now() FROM entries WHERE month = '2026-04'`,
      { refused: 'valued anew only by rates that finance gives' },
    ],
    ...appendOnly('entry_rates', `currency = 'EUR'`),
  },
  given_rates: {
    insert: [
      `INSERT INTO given_rates (date, asset_code, currency, rate, file_hash, actor) VALUES ('2026-04-20', '${ASSET}', 'USD', 9, 'f', 'ann')`,
      { refused: 'needs its action: import rates' },
    ],
    ...appendOnly('given_rates', 'rate = 9'),
  },
  balance_attributions: {
    insert: [
      `INSERT INTO balance_attributions (asset_code, amount, note, actor) VALUES ('${ASSET}', -1000, 'n', 'ann')`,
      { refused: 'needs its action: attribute balance' },
    ],
    ...appendOnly('balance_attributions', 'amount = -1'),
  },
  opened_assets: {
    insert: [
      `INSERT INTO opened_assets (asset_code, balance, opened_at) VALUES ('BTC', 7, now())`,
      { named: 'balance_differs' },
    ],
    ...appendOnly('opened_assets', 'balance = 1'),
  },
  period_files: {
    insert: [
      `INSERT INTO period_files (month, closing, format, name, sha256, bytes)
       VALUES ('2026-03', 1, 'csv', '2026-03-more.csv', repeat('0', 64), 0)`,
      { refused: 'comes only with its closing' },
    ],
    ...appendOnly('period_files', 'bytes = 1'),
  },
  period_file_parts: {
    insert: [
      `INSERT INTO period_file_parts SELECT file_id, part + 1, 'more' FROM period_file_parts ORDER BY file_id LIMIT 1`,
      { refused: 'gets no more parts' },
    ],
    ...appendOnly('period_file_parts', `content = 'other'`),
  },
  account_months: kept(
    'account_months',
    `INSERT INTO account_months VALUES ('assets:operating', '${ASSET}', '2026-02', 1000)`,
    'amount = 1',
  ),
  entry_months: kept('entry_months', `INSERT INTO entry_months VALUES ('2026-02', 1)`, 'entries = 1'),
  posting_progress: {
    insert: [
      `INSERT INTO posting_progress (only_one, seq, contract) VALUES (true, 0, 'x')`,
      { refused: 'duplicate key value' },
    ],
    update: [SKIP, { named: 'entry_differs' }],
    delete: [`DELETE FROM posting_progress`, APPEND],
    truncate: [`TRUNCATE posting_progress`, APPEND],
  },
  posting_due: {
    insert: [
      `INSERT INTO posting_due VALUES ('payout', 'po_1')`,
      { harmless: 'the record is posted anew, which comes to nothing' },
    ],
    update: [
      [SKIP, `INSERT INTO posting_due VALUES ('payout', 'po_3')`, `UPDATE posting_due SET record_id = 'po_1'`],
      { named: 'entry_differs' },
    ],
    delete: [
      [SKIP, `INSERT INTO posting_due VALUES ('payout', 'po_3')`, `DELETE FROM posting_due`],
      { named: 'entry_differs' },
    ],
    truncate: [
      [SKIP, `INSERT INTO posting_due VALUES ('payout', 'po_3')`, `TRUNCATE posting_due`],
      { named: 'entry_differs' },
    ],
  },
  actions: {
    insert: [acted('reopen period', 'x'), { named: 'period_changed' }],
    ...appendOnly('actions', `actor = 'x'`),
  },
  seals: {
    insert: [
      `INSERT INTO seals SELECT number + 1, log, until, until + 1, rows, row_hashes, rows_hash, hash, sealed_at, repeat('0', 64)
       FROM seals ORDER BY number DESC LIMIT 1`,
      { named: 'seal_changed' },
    ],
    ...appendOnly('seals', `hash = 'x'`),
  },
  seal_head: {
    insert: [`INSERT INTO seal_head (number, hash) VALUES (0, 'x')`, { refused: 'duplicate key value' }],
    update: [`UPDATE seal_head SET number = 1`, { named: 'head_changed' }],
    delete: [`DELETE FROM seal_head`, { named: 'head_changed' }],
    truncate: [`TRUNCATE seal_head`, { named: 'head_changed' }],
  },
};

/** Not the books: records as the service shows them, which are read again, and what this program keeps for its own work. */
const OTHERS = new Set(
  `accounts alert_channels alert_notices alerts asset_rates assets balance_proofs balances break_steps breaks callback_progress
   callbacks changes check_agenda deliveries ended_sessions endpoints family_links feed_windows filter_listings identity_evidence inbox
   inbox_repeats installation invoices match_amounts match_days match_payments match_progress matches migrations migrations_lock
   movements movements_progress order_registrations orders payin_listings payins payment_intents payment_orders payouts personal_key
   products reading_marks refund_assignments rejection_counts rejections repeated_refusals report_checks reported_refunds retention
   runs seal_checks secret_matches secrets service_rate service_writes setting_signs settlement_accounts settlement_methods
   signs_of_life transactions unread_intervals watermarks`.split(/\s+/),
);

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
  it.each(attacks)('$change of $name is refused or named', tried);

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

const OWNER = 'SET LOCAL session_replication_role = replica';
/** All seals made anew over what there is now. */
const SEALED_ANEW: Statement[] = [
  'DELETE FROM seals',
  'DELETE FROM seal_checks',
  `UPDATE seal_head SET number = 0, hash = repeat('0', 64)`,
  (trx) => sealRows({ db: trx, now }),
];
/** Where the order of rows is sealed. */
const SEALED = [
  'entries',
  'entry_lines',
  'entry_rates',
  'given_rates',
  'balance_attributions',
  'opened_assets',
  'period_files',
  'actions',
];
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

it('one field of one row of the books, changed by whomever, is refused or named', async () => {
  const { db } = database;
  const unsealed = ['posting_progress', 'posting_due', 'seal_checks'];
  const columns: { table_name: string; column_name: string; data_type: string }[] = await db(
    'information_schema.columns',
  )
    .where({ table_schema: 'public' })
    .whereIn(
      'table_name',
      Object.keys(ATTACKS).filter((name) => !unsealed.includes(name)),
    )
    .orderBy(['table_name', 'ordinal_position'])
    .select('table_name', 'column_name', 'data_type');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...columns), fc.nat(), async ({ table_name, column_name, data_type }, n) => {
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
    { numRuns: RUNS, examples: columns.map((column) => [column, 0] as [(typeof columns)[number], number]) },
  );
}, 300_000);

function altered(column: string, type: string): string {
  if (type === 'boolean') return `NOT ${column}`;
  if (type === 'date') return `coalesce(${column} + 1, DATE '2026-03-01')`;
  if (type.startsWith('timestamp')) return `coalesce(${column} + interval '1 second', now())`;
  if (type === 'bytea') return `set_byte(${column}, 0, (get_byte(${column}, 0) + 1) % 256)`;
  if (type === 'jsonb') return `jsonb_build_array(${column})`;
  if (type === 'text') return `coalesce(${column} || 'x', 'x')`;
  return `coalesce(${column} + 1, 1)`;
}

describe('where something is to be posted still', () => {
  beforeAll(async () => {
    await save(database, [withdrawal('po_3', '2026-04-21T10:00:00.000Z', {}, 40)]);
    await workInMovements(database.db, table);
  });

  it.each(all.filter(({ name }) => ofProgress(name)))('$change of $name is refused or named', tried);
});
