import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { OrderRefund } from '../../src/domain/family/family.js';
import type { ShownRecord } from '../../src/domain/family/links.js';
import type { Money } from '../../src/domain/family/money.js';
import type { OpenCall } from '../../src/domain/family/own-refunds.js';
import type { JsonObject } from '../../src/domain/json.js';
import { deriveOrder } from '../../src/domain/orders/order.js';
import type { OrderFacts } from '../../src/domain/orders/order-facts.js';
import { orderStatuses, releaseReasons } from '../../src/domain/orders/reason-words.js';

/** The reading of payments, and a later one of payins. */
const READ = 1_700_000_000_000;
export const PAYIN_READ = READ + 5_000;

export interface Given {
  fields: JsonObject;
  verified?: boolean;
  absent?: boolean;
}

const records = (given: Given[] | undefined, prefix: string, verifiedAt: number): ShownRecord[] =>
  (given ?? []).map(({ fields, verified = true, absent = false }, index) => {
    const proven = verified && !absent;
    return { id: `${prefix}${index + 1}`, fields, verified: proven, verifiedAt: proven ? verifiedAt : null, absent };
  });

/** Where no payins are given, there is the one that `paid` lists: it is final and was not screened. */
export function order(given: {
  intents?: Given[];
  payins?: Given[];
  invoices?: Given[];
  refunds?: OrderRefund[];
  expected?: Money | null;
}): OrderFacts {
  return {
    reference: 'o-1',
    expected: given.expected ?? null,
    intents: records(given.intents, 'pi_', READ),
    payins: records(given.payins ?? [{ fields: { status: 'confirmed' } }], 'payin_', PAYIN_READ),
    invoices: records(given.invoices, 'inv_', READ),
    refunds: given.refunds ?? [],
  };
}

/** A payment of 100 EUR, which is 50 of the asset. */
export const fiat: JsonObject = {
  status: 'pending',
  irregularStatus: 'none',
  amountRequested: '100',
  currencyRequested: 'EUR',
  requestedCurrencyType: 'fiat',
  amountCryptoExpected: '50',
  totalAmountReceived: '0',
  amountNetMerchant: '0',
  amountInRange: null,
  amountRejected: null,
  payins: [],
};
export const eur = (amount: string): Money => ({ amount, currency: 'EUR' });

export const paid = {
  ...fiat,
  status: 'completed',
  totalAmountReceived: '50',
  amountNetMerchant: '49.5',
  payins: [{ id: 'payin_1' }],
};
export const under = { ...paid, totalAmountReceived: '40', amountRejected: '40', amountInRange: '0' };
export const over = { ...paid, totalAmountReceived: '60', amountRejected: '10', amountInRange: '50' };
export const late = { ...paid, amountRejected: '50', amountInRange: '0' };
export const ruled = (fields: JsonObject, irregularStatus: string) => ({
  ...fields,
  status: 'unmatched',
  irregularStatus,
});
export const crypto = {
  ...paid,
  requestedCurrencyType: 'crypto',
  currencyRequested: 'USDT.TRON',
  amountCryptoExpected: null,
};
export const gave = (amount: string, status = 'confirmed'): OrderRefund => ({
  amount,
  status,
  paymentIntentId: 'pi_1',
});

export const state = (status: string) => ({ ...fiat, status });

export const half = { ...under, totalAmountReceived: '25' };

export type Line = [id: string, name: string, facts: OrderFacts, status: string, reason?: string];
export const one = (fields: JsonObject, more: Partial<Given> = {}, refunds: OrderRefund[] = []) =>
  order({ intents: [{ fields, ...more }], refunds });
export const many = (...fields: JsonObject[]) => order({ intents: fields.map((fields) => ({ fields })) });
export const want = (expected: Money, ...fields: JsonObject[]) => ({ ...many(...fields), expected });

/**
 * The lines of one table of docs/orders.md, each with the laws that hold for every order: the order in which its records
 * are given does not matter, and nothing is released on payments that are only claimed.
 */
export function describeLines(title: string, letter: string, lines: Line[]): void {
  describe(title, () => {
    it.each(lines)('%s %s', (_id, _name, facts, status, reason = status) => {
      const { release, ...derived } = deriveOrder(facts);
      expect({ ...derived, reason: release.reason, safe: release.safe }).toEqual({
        status,
        reason,
        safe: reason === 'proven',
      });
      expect(orderStatuses).toContain(status);
      expect(releaseReasons).toContain(reason);
      expect(release.provenAt === null).toBe(!release.safe);
      if (status !== 'paid') expect(release.safe).toBe(false);
      for (let turns = 0; turns < 6; turns++) expect(deriveOrder(turned(facts, turns))).toEqual(deriveOrder(facts));
      const claimed = facts.intents.map((intent) => ({ ...intent, verified: false, verifiedAt: null }));
      expect(deriveOrder({ ...facts, intents: claimed }).release.safe).toBe(false);
    });

    it('is the table of docs/orders.md', async () => {
      const page = await readFile(new URL('../../docs/orders.md', import.meta.url), 'utf8');
      const documented = [...page.matchAll(/^\| ([A-Z]\d+) \|/gm)].flatMap(([, id]) =>
        id?.startsWith(letter) ? [id] : [],
      );
      expect([...new Set(lines.map(([id]) => id))]).toEqual(documented);
    });
  });
}

function turned(facts: OrderFacts, turns: number): OrderFacts {
  const turn = <T>(items: readonly T[]): T[] => {
    const at = items.length === 0 ? 0 : turns % items.length;
    return turns % 2 === 0 ? [...items.slice(at), ...items.slice(0, at)] : [...items].reverse();
  };
  const { intents, payins, invoices, refunds } = facts;
  return { ...facts, intents: turn(intents), payins: turn(payins), invoices: turn(invoices), refunds: turn(refunds) };
}

/** A refund of ours that was written down long ago, and of which nobody knows what came. */
export function openCall(paymentIntentId: string, more: Partial<OpenCall> = {}): OpenCall {
  const key = `refund-${paymentIntentId}`;
  return {
    operation: 'createRefund',
    key,
    paymentIntentId,
    begunAt: new Date(0),
    objectId: null,
    undecided: true,
    ...more,
  };
}
