import { isAssetCode } from '../asset-code.js';
import type { ShownRecord } from '../family/links.js';
import { type Money, sameCurrency } from '../family/money.js';
import type { JsonObject } from '../json.js';
import { compareAmounts, isAmount, isZero } from '../money.js';
import { textField } from '../records.js';
import type { OrderFacts } from './order-facts.js';

export type RegistrationAction = 'registered' | 'changed' | 'withdrawn';

/** The action that is to be done; or nothing, because it is so already, or because it is refused. */
export type RegistrationVerdict = RegistrationAction | 'unchanged' | 'conflict' | 'received' | 'stale';

interface RegistrationAsked {
  /** What is registered now; null: nothing. */
  expected: Money | null;
  /** What is to be registered; null: nothing any more. */
  wanted: Money | null;
  /** Whether the order is as who asks has seen it; null: they don't say what they have seen. */
  isCurrent: boolean | null;
  received: boolean;
}

/** The first is taken at any time. What stands is changed by who has seen it, and withdrawn, as long as no money came in. */
export function registrationVerdict({ expected, wanted, isCurrent, received }: RegistrationAsked): RegistrationVerdict {
  if (isSame(expected, wanted)) return 'unchanged';
  if (expected === null) return isCurrent === false ? 'stale' : 'registered';
  if (wanted !== null && isCurrent === null) return 'conflict';
  if (received) return 'received';
  if (isCurrent === false) return 'stale';
  return wanted === null ? 'withdrawn' : 'changed';
}

function isSame(a: Money | null, b: Money | null): boolean {
  if (a === null || b === null) return a === b;
  return sameCurrency(a.currency, b.currency) && compareAmounts(a.amount, b.amount) === 0;
}

/** Any record of the order that the service does not deny shows money; what reports alone say is not seen. Of a shared one it is not known. */
export function showsMoney({
  shared,
  intents,
  payins,
  invoices,
  refunds,
}: Pick<OrderFacts, 'shared' | 'intents' | 'payins' | 'invoices' | 'refunds'>): boolean {
  const isHere = ({ absent }: ShownRecord): boolean => !absent;
  return (
    shared === true ||
    refunds.length > 0 ||
    payins.some(isHere) ||
    intents.some((intent) => isHere(intent) && hasMoney(intent.fields)) ||
    invoices.some((invoice) => isHere(invoice) && textField(invoice.fields, 'status') === 'paid')
  );
}

const WITHOUT_MONEY = ['waiting_address_selection', 'pending', 'expired', 'cancelled'];

/** A state that is on no list may mean money, and so may an amount that can't be read. */
function hasMoney(fields: JsonObject): boolean {
  const { totalAmountReceived: received = null, payins = null } = fields;
  const isNothing = received === null || (isAmount(received) && isZero(received));
  return (
    !isNothing ||
    (Array.isArray(payins) && payins.length > 0) ||
    !WITHOUT_MONEY.includes(textField(fields, 'status') ?? 'pending') ||
    (textField(fields, 'irregularStatus') ?? 'none') !== 'none'
  );
}

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
