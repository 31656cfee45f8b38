import type { Knex } from 'knex';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import { type Effect, effectsOf } from '../../domain/balances/movements.js';
import { grouped } from '../../domain/grouped.js';
import { isZero, sameAmount } from '../../domain/money.js';
import { type MovingKind, readMoving } from '../balances/balance-records.js';
import { columnOf, rowsOf } from '../database/statements.js';
import { findingOf, type ReportFinding } from './verify-head.js';

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
  for (const { key, record } of await readMoving(trx, kind, kind === 'payout' ? await polled(trx, ids) : ids)) {
    const effects = record === null ? [] : effectsOf(record, table);
    const own = kept.get(key) ?? [];
    const isSame = own.length >= effects.length && own.every((row, n) => isOf(row, effects[n]));
    if (isSame) continue;
    const message = `what ${kind} ${key} moved is not what the record itself says`;
    reportFinding(findingOf('record_changed', message, { log: 'movements', from: key, rows: own.length }));
  }
}

/** Payouts of which polls alone say what they moved: what a statement says beside them need not be a change of the record. */
const polled = (trx: Knex, ids: readonly string[]) =>
  columnOf<string>(trx)`
    SELECT id FROM payouts WHERE id = ANY (${ids}::text[]) AND poll_hash IS NOT NULL AND verified AND strpos(claims::text, 'accountId') = 0`;

/** `effect` left out: it stood at the opening, and the record shows it no more. */
function isOf({ part, operation, account, assetCode, delta, base, isSince }: Row, effect: Effect | undefined): boolean {
  if (effect === undefined) return base !== null && !isZero(base) && (delta === '0' || sameAmount(delta, base));
  const isSame = part === effect.part && operation === effect.operation && account === effect.account;
  const isMoney = assetCode === effect.assetCode && sameAmount(delta, effect.delta);
  return isSame && isMoney && (!isSince || base === null || isZero(base));
}
