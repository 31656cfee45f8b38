import type { Knex } from 'knex';
import type { BalanceVerdict } from '../../domain/balances/balance-proof.js';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { autoResolveBreaks, openBreaks } from '../breaks/breaks.js';

/**
 * Opens, renews or resolves the break of an asset's residual. A part that a person has closed is not opened again while it
 * stays what it was: only a new unexplained part is a break, and one that was gone in between is new. `before`: what was
 * unexplained when the asset was classified last; null: it never was. Returns how many were opened.
 */
export async function followResidual(
  trx: Knex.Transaction,
  assetCode: string,
  { verdict, before }: { verdict: BalanceVerdict; before: string | null },
  evidence: JsonObject,
): Promise<number> {
  const entity = { kind: 'balance', id: assetCode } as const;
  const last = await newestResidual(trx, assetCode);
  const isOpen = last !== null && (last.status === 'open' || last.status === 'acknowledged');
  if (verdict.unexplained === '0') {
    if (isOpen) await autoResolveBreaks(trx, [{ kind: 'balance_residual', entity }]);
    return 0;
  }
  const stood = isOpen || before === verdict.unexplained;
  const isSame = stood && last?.unexplained === verdict.unexplained && last.status !== 'auto_resolved';
  if (isSame) return 0;
  if (isOpen) await autoResolveBreaks(trx, [{ kind: 'balance_residual', entity }]);
  return openBreaks(trx, [{ kind: 'balance_residual', entity, evidence }]);
}

/** Whether the newest break of the asset's residual says just this. */
export async function isKnownResidual(db: Knex, assetCode: string, unexplained: string): Promise<boolean> {
  const last = await newestResidual(db, assetCode);
  return last !== null && last.status !== 'auto_resolved' && last.unexplained === unexplained;
}

async function newestResidual(db: Knex, assetCode: string): Promise<{ status: string; unexplained: unknown } | null> {
  const row = await db<{ status: string; evidence: string }>('breaks')
    .where({ kind: 'balance_residual', entity_kind: 'balance', entity_id: assetCode } as never)
    .orderBy('id', 'desc')
    .first('status', 'evidence');
  return row === undefined
    ? null
    : { status: row.status, unexplained: objectFromJsonText(row.evidence)['unexplained'] };
}
