import type { Knex } from 'knex';
import type { MovementRecord, MovementTable } from '../../domain/balances/movement-table.js';
import { type Effect, effectsOf } from '../../domain/balances/movements.js';
import { grouped } from '../../domain/grouped.js';
import { objectFromJsonText } from '../../domain/json.js';
import { isZero, sameAmount } from '../../domain/money.js';
import { recordRules } from '../../domain/records.js';
import { type MovingKind, readMoving } from '../balances/balance-records.js';
import { differingHours } from '../books/day-money.js';
import { columnOf, raw, rowsOf, tableOf } from '../database/statements.js';
import { recordTables, shownCell } from '../record-columns.js';
import { findingOf, type ReportFinding } from './verify-head.js';

const NAMED = 100;
/** So that a column that keeps fewer digits than its record has is no difference. */
const AS = { text: '', amount: '::numeric', time: '::timestamptz' } as const;
const same = (type: keyof typeof AS) => (value: string) => (type === 'amount' ? `round(${value}, 18)` : value);

/** Of rows from before migration 0075 the scheduler fills it in. */
const FILLED_LATER = new Set(['payment_intent asset_code']);

/** What lists and sums go by is what the records themselves say: each column of these records is what its field is. */
export async function verifyColumns(
  db: Knex,
  kind: MovingKind,
  ids: readonly string[],
  reportFinding: ReportFinding,
): Promise<void> {
  const table = raw(recordTables[kind]);
  const rows = await rowsOf<{ id: string; shown: string }>(
    db,
  )`SELECT id, shown FROM ${table} WHERE id = ANY (${ids}::text[])`;
  if (rows.length === 0) return;
  // Until a poll shows it, it is where a report says.
  const columns = recordRules[kind].columns.filter(({ field }) => field !== 'createdAt');
  const said = rows.map(({ id, shown }) => ({ id, fields: objectFromJsonText(shown) }));
  const given = tableOf(
    'said',
    said,
    Object.fromEntries([
      ['id', 'text' as const],
      ...columns.map((column) => {
        const cell = shownCell(kind, column);
        return [`said_${column.name}`, ['text', ({ fields }: (typeof said)[number]) => cell(fields)]] as const;
      }),
    ]),
  );
  const differs = columns.map(({ name, type }) => {
    const [own, wanted] = [name, `said_${name}${AS[type]}`].map(same(type));
    const filled = FILLED_LATER.has(`${kind} ${name}`) ? `${name} IS NOT NULL AND ` : '';
    return `CASE WHEN ${filled}${own} IS DISTINCT FROM ${wanted} THEN '${name}' END`;
  });
  const found = await rowsOf<{ id: string; columns: string }>(db)`
    SELECT * FROM (SELECT id, concat_ws(', ', ${raw(differs.join(', '))}) AS columns FROM ${table} JOIN ${given} USING (id)) AS compared
    WHERE columns <> '' ORDER BY id LIMIT ${NAMED}`;
  for (const { id, columns: names } of found) {
    const message = `of ${kind} ${id} the table says something else than the record itself: ${names}`;
    reportFinding(findingOf('record_changed', message, { log: recordTables[kind], from: id, rows: 1 }));
  }
}

/** What is kept of the records so that it need not be worked out for each page: the money of the last days, and the proofs of balances. */
export async function verifyKept(db: Knex, reportFinding: ReportFinding): Promise<void> {
  for (const hour of await differingHours(db)) {
    const message = `the money of the hour from ${hour.toISOString()} is not what its records come to`;
    reportFinding(findingOf('sums_differ', message, { log: 'money_sums', from: hour.toISOString() }));
  }
  const proofs = await rowsOf<{ asset: string }>(db)`
    SELECT asset_code AS asset FROM balance_proofs
    WHERE balance - coalesce(opening_balance, 0) - explained IS DISTINCT FROM unobservable + unexplained AND explained IS NOT NULL
      OR explained IS NULL AND (unexplained IS NOT NULL OR agreed_at IS NOT NULL)
      OR EXISTS (SELECT FROM breaks WHERE (kind, entity_kind, entity_id) = ('balance_residual', 'balance', asset_code)
        AND status IN ('open', 'acknowledged')) AND unexplained = 0 ORDER BY 1 LIMIT ${NAMED}`;
  for (const { asset } of proofs) {
    const message = `the proof of the balance of ${asset} does not add up: opening, what is explained and what is not are not the balance, or its break is open and nothing is unexplained`;
    reportFinding(findingOf('balance_differs', message, { log: 'balance_proofs', from: asset, rows: 1 }));
  }
}

interface Row {
  id: string;
  part: string;
  operation: string | null;
  account: string | null;
  assetCode: string | null;
  delta: string | null;
  base: string | null;
  /** It moved the balance well after the opening, so that nothing of it stood then. */
  isSince: boolean;
}

/** What these records, of which nothing waits to be worked in, did to balances is what they say by the contract's table. */
export async function verifyMovements(
  trx: Knex,
  { kind, ids, table }: { kind: MovingKind; ids: readonly string[]; table: MovementTable },
  reportFinding: ReportFinding,
): Promise<void> {
  const rows = await rowsOf<Row>(trx)`
    SELECT record_id AS id, part, operation, account_id AS account, asset_code AS "assetCode", trim_scale(delta)::text AS delta,
           trim_scale(base)::text AS base, coalesce(at > opening_at + interval '5 minutes', false) AS "isSince"
    FROM movements LEFT JOIN balance_proofs USING (asset_code)
    WHERE record_kind = ${kind} AND record_id = ANY (${ids}::text[]) ORDER BY record_id, line`;
  const kept = grouped(rows, ({ id }) => id);
  const named = new Set(kind === 'payout' ? await withoutWallet(trx, ids) : []);
  for (const { key, record } of await readMoving(trx, kind, ids)) {
    const own = kept.get(key) ?? [];
    const isSame = (said: MovementRecord | null) => {
      const effects = said === null ? [] : effectsOf(said, table);
      return own.length >= effects.length && own.every((row, n) => isOf(row, effects[n]));
    };
    if (isSame(record) || (named.has(key) && isSame(withoutAccount(record)))) continue;
    const message = `what ${kind} ${key} moved is not what the record itself says`;
    reportFinding(findingOf('record_changed', message, { log: 'movements', from: key, rows: own.length }));
  }
}

function withoutAccount(record: MovementRecord | null): MovementRecord | null {
  if (record === null) return null;
  const { accountId: _, ...others } = record;
  return others;
}

/** Payouts that a statement says were no sub-wallet's: to earlier versions that was no change of a record that did not say whose it was. */
const withoutWallet = (trx: Knex, ids: readonly string[]) =>
  columnOf<string>(trx)`
    SELECT id FROM payouts WHERE id = ANY (${ids}::text[]) AND strpos(claims, '"accountId":null') > 0`;

/** `effect` left out: it stood at the opening, and the record shows it no more. */
function isOf({ part, operation, account, assetCode, delta, base, isSince }: Row, effect: Effect | undefined): boolean {
  if (effect === undefined) return base !== null && !isZero(base) && (delta === '0' || sameAmount(delta, base));
  const isSame = part === effect.part && operation === effect.operation && account === effect.account;
  const isMoney = assetCode === effect.assetCode && sameAmount(delta, effect.delta);
  return isSame && isMoney && (!isSince || base === null || isZero(base));
}
