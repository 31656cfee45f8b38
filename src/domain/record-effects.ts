import type { JsonObject } from './json.js';
import { isAmount } from './money.js';
import type { MovementRecord, MovementTable } from './movement-table.js';
import { movementsOf } from './movements.js';

type Told = ReturnType<typeof movementsOf>;

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
 * sub-wallet's is not given up as unclear: the movements of all sub-wallets together tell how much of all withdrawals was
 * theirs, so the debits are kept as `unplaced`, those of known sub-wallets among them.
 */
export function effectsOf(record: MovementRecord, table: MovementTable): Effect[] {
  const { movements, unobservable, unclear } = movementsOf(record, table);
  const withdrawal = isWithdrawal(record) && record.accountId !== null ? withdrawalOf(record, table) : null;
  const unplaced =
    withdrawal?.account === null || typeof record.accountId === 'string' ? (withdrawal?.effects ?? []) : [];
  const isTold = unplaced.length > 0 && record.accountId === undefined;
  const shown = isTold && withdrawal !== null ? withdrawal.others : movements.map(explained);
  return [
    ...shown,
    ...unplaced,
    ...unobservable.map((effect) => unseen(effect, record.fields)),
    ...(isTold ? [] : unclear.map(({ operation, why }) => unclearEffect(operation, why, record.fields))),
  ];
}

function isWithdrawal({ kind }: MovementRecord): boolean {
  return kind === 'payout';
}

/** What the payout would do to the operating balance if it were its own. */
function withdrawalOf(
  record: MovementRecord,
  table: MovementTable,
): { account: string | null; effects: Effect[]; others: Effect[] } | null {
  const { movements, unclear } = movementsOf({ ...record, accountId: null }, table);
  if (unclear.length > 0) return null;
  const account = record.accountId ?? null;
  const own = movements.filter(({ operation }) => operation === 'payout');
  return {
    account,
    effects: own.map((movement) => ({ ...explained(movement), part: 'unplaced', account })),
    others: movements.filter(({ operation }) => operation !== 'payout').map(explained),
  };
}

function explained({ balance, assetCode, delta, operation, at }: Told['movements'][number]): Effect {
  const account = balance.owner === 'account' ? balance.id : null;
  return { part: 'explained', operation, account, assetCode, delta, at, why: null, limit: null };
}

/** An automatic settlement reverses what the payment brought, or less (2.15). */
function unseen(
  { balance, assetCode, delta, operation, at }: Told['unobservable'][number],
  fields: JsonObject,
): Effect {
  const account = balance.owner === 'account' ? balance.id : null;
  const net = fields['amountNetMerchant'];
  const limit = delta === null && operation === 'autoSettlement' && isAmount(net) ? net : null;
  return { part: 'unobservable', operation, account, assetCode, delta, at, why: null, limit };
}

function unclearEffect(operation: string | null, why: string, fields: JsonObject): Effect {
  const asset = fields['assetCode'];
  const assetCode = typeof asset === 'string' ? asset : null;
  return { part: 'unclear', operation, account: null, assetCode, delta: null, at: null, why, limit: null };
}
