import type { JsonObject } from '../json.js';
import { isAmount } from '../money.js';
import { operationsOf } from './movement-operation.js';
import type { MovementOperation, MovementRecord, MovementTable } from './movement-table.js';
import { movementsOf } from './movements.js';

type Moved = ReturnType<typeof movementsOf>;

/** One effect of a record on one balance, as it is kept. `account` null: the operating balance. */
export interface Effect {
  /** `unplaced`: a withdrawal, of which it is not known (account null) or known (a sub-wallet) whose it is. */
  part: 'explained' | 'unobservable' | 'unplaced' | 'unclear';
  operation: string | null;
  account: string | null;
  assetCode: string | null;
  delta: string | null;
  at: string | null;
  why: string | null;
  /** Of an amount that is not shown: no more than this. */
  limit: string | null;
}

/**
 * All effects of a record as it stands. A withdrawal of which nobody says whether it was the operating balance's or a
 * sub-wallet's is not given up as unclear: the transactions of all sub-wallets together show how much of all withdrawals was
 * theirs, so the debits are kept as `unplaced`, those of known sub-wallets among them.
 */
export function effectsOf(record: MovementRecord, table: MovementTable): Effect[] {
  const moved = movementsOf(record, table);
  if (record.kind !== 'payout' || record.accountId === null) return effects(moved, record);
  if (record.accountId === undefined && table.choices.unnamedPayout === 'operating') return effects(moved, record);
  const asOperating = movementsOf({ ...record, accountId: null }, table);
  if (asOperating.unclear.length > 0) return effects(moved, record);
  const account = record.accountId ?? null;
  const debits = asOperating.movements
    .filter(isWithdrawal)
    .map((movement): Effect => ({ ...explained(movement), part: 'unplaced', account }));
  const shown = account === null ? asOperating : moved;
  const others = shown.movements.filter((movement) => !isWithdrawal(movement));
  return [...effects({ ...shown, movements: others }, record), ...debits];
}

/** All that a record may stand for, whether or not it moves something as it stands; null: that is not known. */
export function operationsWith(record: MovementRecord, table: MovementTable): readonly MovementOperation[] | null {
  // A withdrawal is one also where it is not known whose.
  const found = operationsOf({ ...record, accountId: null }, table);
  return 'unclear' in found ? null : found.operations;
}

function effects({ movements, unobservable, unclear }: Moved, { fields }: MovementRecord): Effect[] {
  return [
    ...movements.map(explained),
    ...unobservable.map((effect) => unseen(effect, fields)),
    ...unclear.map(({ operation, why }) => unclearEffect(operation, why, fields)),
  ];
}

function isWithdrawal({ operation }: Moved['movements'][number]): boolean {
  return operation === 'payout' || operation === 'internalPayout';
}

function explained({ balance, assetCode, delta, operation, at }: Moved['movements'][number]): Effect {
  const account = accountOf(balance);
  return { part: 'explained', operation, account, assetCode, delta, at, why: null, limit: null };
}

function accountOf(balance: Moved['movements'][number]['balance']): string | null {
  return balance.owner === 'account' ? balance.id : null;
}

/** An automatic settlement reverses what the payment brought, or less (2.15). */
function unseen(
  { balance, assetCode, delta, operation, at }: Moved['unobservable'][number],
  fields: JsonObject,
): Effect {
  const account = accountOf(balance);
  const net = fields['amountNetMerchant'];
  const limit = delta === null && operation === 'autoSettlement' && isAmount(net) ? net : null;
  return { part: 'unobservable', operation, account, assetCode, delta, at, why: null, limit };
}

function unclearEffect(operation: string | null, why: string, fields: JsonObject): Effect {
  const asset = fields['assetCode'];
  const assetCode = typeof asset === 'string' ? asset : null;
  return { part: 'unclear', operation, account: null, assetCode, delta: null, at: null, why, limit: null };
}
