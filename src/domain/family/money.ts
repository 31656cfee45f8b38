import { type JsonObject, ownField } from '../json.js';
import { addAmounts, compareAmounts, isAmount, sumAmounts } from '../money.js';
import { textField } from '../records.js';

export interface Money {
  amount: string;
  currency: string;
}

/** The field where it holds an amount; null where it holds none. */
export function amountField(fields: JsonObject, name: string): string | null {
  const value = ownField(fields, name);
  return isAmount(value) ? value : null;
}

/** Codes of currencies and assets in upper and lower case are the same. */
export const sameCurrency = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();

export const isPositive = (amount: string | null): boolean => amount !== null && compareAmounts(amount, '0') > 0;

/** What a payment asks for, in the currency of the request (2.1). */
export const requestOf = (fields: JsonObject): Money | null => moneyIn(fields, 'amountRequested', 'currencyRequested');

/** What an invoice asks for (2.3). */
export const invoicedOf = (fields: JsonObject): Money | null => moneyIn(fields, 'amount', 'currency');

/** What is to come in, in the asset of the payment: `amountCryptoExpected` is null where the request was in crypto already (2.1). */
export function dueOf(fields: JsonObject): string | null {
  // A request is in crypto unless the record says otherwise: that is the default of 4.1.
  const isCrypto = textField(fields, 'requestedCurrencyType') !== 'fiat';
  return amountField(fields, 'amountCryptoExpected') ?? (isCrypto ? amountField(fields, 'amountRequested') : null);
}

/** Credited after fees (2.1). */
export const netOf = (fields: JsonObject): string | null => amountField(fields, 'amountNetMerchant');

/** What was credited and the fee that was taken of it; of a payment of which nothing was credited nothing. */
export function grossOf(fields: JsonObject): string {
  const net = netOf(fields) ?? '0';
  return isPositive(net) ? addAmounts(net, amountField(fields, 'feeAmountTotal') ?? '0') : net;
}

/** What came in for payments, as the service shows it, in their asset; null: nothing, or several assets. */
export function receivedOf(payments: readonly { fields: JsonObject; absent: boolean }[]): Money | null {
  const received = payments.flatMap(({ fields, absent }) => {
    const money = absent ? null : moneyIn(fields, 'totalAmountReceived', 'assetCode');
    return money !== null && isPositive(money.amount) ? [money] : [];
  });
  const [first, ...others] = received;
  if (first === undefined || others.some(({ currency }) => currency !== first.currency)) return null;
  return { currency: first.currency, amount: sumAmounts(received.map(({ amount }) => amount)) };
}

/** What is wrong with a range of what came in, by the name of the field; null: nothing. Amounts of different assets don't compare. */
export function rangeProblem({
  assetCode,
  receivedFrom,
  receivedTo,
}: ReceivedRange): { field: keyof ReceivedRange; problem: string } | null {
  const range = { receivedFrom, receivedTo };
  for (const field of ['receivedFrom', 'receivedTo'] as const) {
    const given = range[field];
    if (given === undefined) continue;
    const isOne: boolean = isAmount(given);
    if (!isOne) return { field, problem: `is "${given.slice(0, 40)}"; it takes an amount such as 49.9` };
    if (assetCode === undefined)
      return { field, problem: 'needs an asset beside it: amounts of several do not compare' };
  }
  return null;
}

export interface ReceivedRange {
  assetCode?: string | undefined;
  receivedFrom?: string | undefined;
  receivedTo?: string | undefined;
}

/** The larger of two in one currency; of two currencies the first. */
export function largest(requests: readonly Money[]): Money | null {
  return requests.reduce<Money | null>((most, one) => {
    if (most === null) return one;
    return sameCurrency(one.currency, most.currency) && compareAmounts(one.amount, most.amount) > 0 ? one : most;
  }, null);
}

function moneyIn(fields: JsonObject, amountName: string, currencyName: string): Money | null {
  const amount = amountField(fields, amountName);
  const currency = textField(fields, currencyName);
  return amount === null || currency === null ? null : { amount, currency };
}
