import { isAssetCode } from '../asset-code.js';

/** Specification section 8: greater than zero. */
export const EXPECTED_AMOUNT = '^(?=.*[1-9])\\d{1,18}(\\.\\d{1,18})?$';

const expected = new RegExp(EXPECTED_AMOUNT);

/** What is wrong with the amount that a store says it expects; null: nothing. */
export function amountProblem(amount: string): string | null {
  return expected.test(amount) ? null : 'takes a decimal string above zero such as "12.50"';
}

export function currencyProblem(currency: string): string | null {
  if (isAssetCode(currency)) return null;
  const meant = currency.toUpperCase();
  const hint = isAssetCode(meant) ? `; write ${meant}` : '';
  return `takes 1 to 32 of A to Z, 0 to 9, "_", "." and "-", such as EUR or USDT.TRC20${hint}`;
}
