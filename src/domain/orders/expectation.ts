import { isAmount } from '../money.js';

/** Specification section 8: greater than zero. */
export const EXPECTED_AMOUNT = '^(?=.*[1-9])\\d{1,18}(\\.\\d{1,18})?$';
/** As the specification writes the codes of assets (4.4); those of ISO 4217 are among them. */
export const CURRENCY_CODE = '^[A-Z0-9_.-]{1,32}$';

const code = new RegExp(CURRENCY_CODE);

/** What is wrong with the amount that a store says it expects; null: nothing. */
export function amountProblem(amount: string): string | null {
  const isExpected = isAmount(amount) && /[1-9]/.test(amount);
  return isExpected ? null : 'takes a decimal string above zero such as "12.50"';
}

/** The same of the currency. */
export function currencyProblem(currency: string): string | null {
  if (code.test(currency)) return null;
  const meant = currency.toUpperCase();
  const hint = code.test(meant) ? `; write ${meant}` : '';
  return `takes 1 to 32 of A to Z, 0 to 9, "_", "." and "-", such as EUR or USDT.TRC20${hint}`;
}
