import type { Knex } from 'knex';

export const ASSET = 'USDT.TRON';

export type Statement = string | ((trx: Knex.Transaction) => Promise<unknown>);
/** `refused`: by the database, with these words. `named`: what a verification says first. `harmless`: nothing of the books follows from it. */
type Fate = { refused: string } | { named: string } | { harmless: string };
export type Attack = readonly [statements: Statement | readonly Statement[], fate: Fate];
type Change = 'insert' | 'update' | 'delete' | 'truncate';

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

export const BY_ACTION = { refused: 'changes only beside the action that closes or reopens it' };
/** An entry that adds up, in a month, past the program. */
export const forged = (month: string, accounts: readonly [string, string], record = 'po_2') => `
  WITH made AS (
    INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, written)
    VALUES ('payout', '${record}', 'forged', 1, 'entry', '${month}', '${month}-15', now(), '${month}-15', 'created', 'forged', '[]', 0)
    RETURNING id)
  INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
  SELECT id, line, account, '${ASSET}', amount FROM made, (VALUES (0, '${accounts[0]}', -1000), (1, '${accounts[1]}', 1000))
    AS legs (line, account, amount)`;
/** An entry of po_2 ahead of posting, at a rate; `about`: its record's kind and id, and its key. */
export const atRate = (rate: string, about = `'payout', 'po_2', 'forged'`) => [
  forged('2026-04', ['assets:operating', 'equity:withdrawals'])
    .replace(`'payout', 'po_2', 'forged'`, about)
    .replace('now()', "'2026-04-15 11:00Z'"),
  `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at)
   SELECT max(id), '${ASSET}', 'USD', ${rate}, '2026-04-15 10:00Z' FROM entries`,
];

export const FALSE_RATES: [rate: string, about?: string][] = [
  [`50, 'service'`],
  [`1, 'file'`],
  [`1, 'payment'`],
  [`50, 'payment'`, `'payment_intent', 'pi_1', 'forged'`],
  [`50, 'service'`, `'placement', '${ASSET}', '2026-04-15'`],
];
/** The balance shows another rate for as long as it takes to have it kept; what stood before stands again. */
const RATE = (from: string, to: string) =>
  `UPDATE balances SET shown = replace(shown, '"usdRate":"${from}"', '"usdRate":"${to}"')`;
const RATE_OF = (from: string, to: string, at: string) =>
  `INSERT INTO changes (entity_kind, entity_id, field, from_value, to_value, source_type, source_ref, service_time)
   VALUES ('balance', '${ASSET}', 'usdRate', '"${from}"', '"${to}"', 'poll', '1', '${at}')`;
const KEPT_50 = `INSERT INTO asset_rates (asset_code, seen_at, rate, source) VALUES ('${ASSET}', '2026-04-15 10:00Z', 50, 'balance')`;
const RATE_NEVER_SHOWN = [RATE('1', '50'), KEPT_50, RATE('50', '1')];
export const RATES_SAID: [name: string, statements: string[]][] = [
  ['that the balance shows for a moment', RATE_NEVER_SHOWN],
  ['that a change says was shown', [...RATE_NEVER_SHOWN, RATE_OF('1', '50', '2026-04-15 10:00Z')]],
  [
    'that changes say was shown in a time that has passed',
    [...RATE_NEVER_SHOWN, RATE_OF('1', '50', '2026-04-14'), RATE_OF('50', '1', '2026-04-16')],
  ],
];
export const RATES_CHANGED = [
  'UPDATE asset_rates SET rate = rate * 10',
  'DELETE FROM asset_rates',
  'TRUNCATE asset_rates',
];

export const REOPENED = `UPDATE periods SET status = 'open', reopened_at = now(), reopened_by = 'eve', reason = 'x' WHERE month = '2026-03'`;
export const acted = (action: string, reason: string) =>
  `INSERT INTO actions (actor, action, target, reason, outcome) VALUES ('eve', '${action}', 'period 2026-03', '${reason}', 'done')`;
/** As who reads the money of a day leaves it, for the hour of a payout. */
const ADDED_UP = `
  WITH hour AS (SELECT date_trunc('hour', created_at) AS hour FROM payouts WHERE id = 'po_1'),
  known AS (INSERT INTO money_known SELECT hour FROM hour), unmarked AS (DELETE FROM money_marks)
  INSERT INTO money_sums SELECT hour, '${ASSET}', 'payout:withdrawal', 0, 1 FROM hour`;
const SKIP = 'UPDATE posting_progress SET seq = (SELECT seq FROM movements_progress)';

/** By the application's own role, with every trigger in place. */
export const ATTACKS: Readonly<Record<string, Record<Change, Attack>>> = {
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
  attribution_rebookings: {
    insert: [
      `INSERT INTO attribution_rebookings (attribution_id, step, contra, note, actor, booked_on)
       SELECT max(id), 9, 'income:attributed', 'n', 'ann', '2026-04-20' FROM balance_attributions`,
      { refused: 'needs its action: rebook attribution' },
    ],
    ...appendOnly('attribution_rebookings', `contra = 'income:attributed'`),
  },
  opened_assets: {
    insert: [
      `INSERT INTO opened_assets (asset_code, balance, opened_at) VALUES ('BTC', 0, '2036-01-01')`,
      { refused: 'open with what its balance was proven from' },
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
  account_values: kept(
    'account_values',
    `INSERT INTO account_values VALUES ('assets:operating', '${ASSET}', '2026-02', 'USD', 1000, 1)`,
    'value = 1',
  ),
  transit_days: kept(
    'transit_days',
    `INSERT INTO transit_days VALUES ('${ASSET}', '2026-02', '2026-02-01', 1000, now())`,
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
  breaks: {
    insert: [
      `INSERT INTO breaks (kind, severity, entity_kind, entity_id, evidence) VALUES ('payout_stuck', 'high', 'payout', 'po_1', '{}')`,
      { named: 'break_changed' },
    ],
    update: [`UPDATE breaks SET status = 'resolved', resolved_at = now()`, { named: 'break_changed' }],
    delete: [`DELETE FROM breaks`, APPEND],
    truncate: [`TRUNCATE breaks CASCADE`, APPEND],
  },
  money_sums: {
    insert: [
      [
        `INSERT INTO money_known VALUES ('2026-01-01T00:00:00Z')`,
        `INSERT INTO money_sums VALUES ('2026-01-01T00:00:00Z', '${ASSET}', 'released', 3, 123456)`,
      ],
      { named: 'sums_differ' },
    ],
    update: [[ADDED_UP, `UPDATE money_sums SET amount = 0`], { named: 'sums_differ' }],
    delete: [[ADDED_UP, `DELETE FROM money_sums`], { named: 'sums_differ' }],
    truncate: [[ADDED_UP, `TRUNCATE money_sums`], { named: 'sums_differ' }],
  },
  decisions: {
    insert: [
      `INSERT INTO decisions (action, subject, input, preview, seen, reason, asked_by)
       VALUES ('reopen period', 'period 2026-02', '{"month":"2026-02"}', 'x', 'x', 'x', 'bob')`,
      { refused: 'needs its actions' },
    ],
    update: [
      `UPDATE decisions SET state = 'approved', decided_by = 'eve', decided_at = now() WHERE state = 'waiting'`,
      { refused: 'needs its actions' },
    ],
    delete: [`DELETE FROM decisions`, APPEND],
    truncate: [`TRUNCATE decisions`, APPEND],
  },
  actions: {
    insert: [acted('reopen period', 'x'), { named: 'period_changed' }],
    ...appendOnly('actions', `actor = 'x'`),
  },
  settlement_arrivals: {
    insert: [
      `INSERT INTO settlement_arrivals (payout_id, amount, currency, arrived_on, note, actor) VALUES ('po_1', 1, 'EUR', now(), 'x', 'eve')`,
      { refused: 'needs its action' },
    ],
    ...appendOnly('settlement_arrivals', `note = 'y'`),
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
export const OTHERS = new Set(
  `accounts alert_channels alert_notices alerts asset_rates assets balance_proofs balances break_steps callback_progress canaries
   callbacks changes check_agenda deliveries ended_sessions endpoints event_records family_links feed_windows filter_listings identity_evidence inbox
   inbox_repeats installation invoices match_amounts match_days match_payments match_progress matches migrations migrations_lock money_known money_marks newest_results
   movements movements_progress order_registrations orders payin_listings payins payment_intents payment_orders payouts personal_key
   products reading_marks refund_assignments rejection_counts rejections repeated_refusals report_checks reported_refunds retention
   runs scorecard_days seal_checks secret_matches secrets service_call_counts service_rate service_writes setting_signs settlement_accounts settlement_methods
   search_keys signs_of_life transactions unread_intervals watermarks`.split(/\s+/),
);

/** Another value of a column. */
export function altered(column: string, type: string): string {
  if (type === 'boolean') return `NOT ${column}`;
  if (type === 'date') return `coalesce(${column} + 1, DATE '2026-03-01')`;
  if (type.startsWith('timestamp')) return `coalesce(${column} + interval '1 second', now())`;
  if (type === 'bytea') return `set_byte(${column}, 0, (get_byte(${column}, 0) + 1) % 256)`;
  if (type === 'jsonb') return `jsonb_build_array(${column})`;
  if (type === 'text') return `coalesce(${column} || 'x', 'x')`;
  return `coalesce(${column} + 1, 1)`;
}
