import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { compareAmounts, isTotal, normalizeAmount } from '../../domain/money.js';
import { textField } from '../../domain/records.js';
import type { RunContext } from '../deps.js';
import { askIfShown } from '../service-reader.js';

/** One balance as the service showed it (specification 2.8). Amounts are normalized; null: not shown, or no amount. */
export interface ReadBalance {
  fields: JsonObject;
  balance: string | null;
  frozen: string | null;
  available: string | null;
  /** Start and end of the request, in ms of the service's clock. */
  from: number;
  to: number;
}

/** Null: the service does not know the asset, or refuses to show its balance. */
export async function readBalance(run: RunContext, assetCode: string): Promise<ReadBalance | null> {
  const reply = await askIfShown(run, 'getBalance', { path: { assetCode } });
  if (reply === null) return null;
  const { data, from, to } = reply;
  const fields = isJsonObject(data) ? data : {};
  const shown = textField(fields, 'assetCode');
  if (shown !== null && shown !== assetCode) return null;
  const amount = (name: string): string | null => {
    const value = fields[name];
    return isTotal(value) ? normalizeAmount(value) : null;
  };
  const [balance, frozen, available] = [amount('balance'), amount('frozen'), amount('available')];
  return { fields: { ...fields, id: assetCode }, balance, frozen, available, from, to };
}

/** Nothing moved between the two, as far as a balance shows. */
export function isSameBalance(a: ReadBalance, b: ReadBalance): boolean {
  return same(a.balance, b.balance) && same(a.frozen, b.frozen);
}

function same(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : compareAmounts(a, b) === 0;
}
