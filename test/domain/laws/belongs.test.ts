import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FamilyRecords } from '../../../src/domain/family/family.js';
import { defaultPayoutWords, isUnlinkedRefund, type ShownRecord } from '../../../src/domain/family/links.js';
import { textField } from '../../../src/domain/records.js';
import { type JudgedOrder, judge, listedIn, saidOf, says, statesOf } from './judge.js';
import { decidedUnread, runsWithRare } from './rare-worlds.js';
import { type World, world } from './worlds.js';

const known = (records: readonly ShownRecord[]) => records.filter(({ unknown }) => unknown !== true);
const named = ({ fields }: ShownRecord): string | null =>
  typeof fields['merchantReference'] === 'string' && fields['merchantReference'] !== ''
    ? fields['merchantReference']
    : null;
const linked = (intent: ShownRecord, invoice: ShownRecord) =>
  says(intent, 'invoiceId', invoice.id) || says(invoice, 'paymentIntentId', intent.id);
/** The table of docs/orders.md, said once more from each record's own side. */
describe('what belongs to an order', () => {
  it('payments by their own reference, else by the one of their invoices; invoices by theirs, or by a payment that has one', () => {
    fc.assert(
      fc.property(world, (world) => {
        const { records, orders } = judge(world);
        const linking = known(records.invoice).filter(({ absent, ownCall }) => !absent || ownCall !== null);
        for (const intent of records.payment_intent) {
          const own = named(intent);
          const invoiced = linking.filter((invoice) => linked(intent, invoice)).map(named);
          const all = own === null ? [...new Set(invoiced.filter((one) => one !== null))] : [own];
          const possible = intent.unknown === true ? [] : all;
          for (const { reference, family } of orders) {
            const isPossible = possible.includes(reference);
            const has = (list: readonly ShownRecord[]) => list.some(({ id }) => id === intent.id);
            expect(has(family.intents)).toBe(isPossible && possible.length === 1);
            expect(has(family.contested.map((one) => one.intent))).toBe(isPossible && possible.length > 1);
            const isNear = family.invoices.some((invoice) => named(invoice) === reference && linked(intent, invoice));
            expect(has(family.elsewhere)).toBe(!isPossible && possible.length === 1 && isNear);
          }
        }
        for (const { reference, family } of orders) {
          const payments = family.intents.filter((intent) => named(intent) === reference);
          const own = known(records.invoice).filter(
            (invoice) => named(invoice) === reference || payments.some((intent) => linked(intent, invoice)),
          );
          expect(byId(family.invoices)).toEqual(byId(own));
        }
      }),
      runsWithRare(1, [decidedUnread]),
    );
  });

  it('payins, refunds and calls of our own are those of its payments', () => {
    fc.assert(
      fc.property(world, (world) => {
        const { records, orders } = judge(world);
        for (const { family } of orders) {
          const payments = around(family);
          const ids = payments.map(({ id }) => id);
          const own = records.payin.filter((payin) =>
            payments.some(
              (payment) => says(payin, 'paymentIntentId', payment.id) || listedIn(payment).includes(payin.id),
            ),
          );
          expect(byId(family.payins)).toEqual(byId(own));
          const read = records.payout.filter((payout) => !isUnread(payout, world));
          const owners = read
            .filter(({ absent, unknown }) => !(absent && unknown === true))
            .flatMap((payout) => possibleOf(payout, records, world).slice(0, 1))
            .filter((owner) => ids.includes(owner));
          expect(family.refunds.map(({ paymentIntentId }) => `${paymentIntentId}`).sort()).toEqual(owners.sort());
          const listed = payments.map(({ fields }) => textField(fields, 'irregularRefundPayoutId') ?? '');
          const claimed = read.filter((one) => possibleOf(one, records, world).some((id) => ids.includes(id)));
          const refundIds = [...listed, ...claimed.map(({ id }) => id)].filter((id) => id !== '');
          expect(family.refundIds).toEqual([...new Set(refundIds)].sort());
          expect(family.openCalls).toEqual(world.calls.filter((call) => ids.includes(call.paymentIntentId)));
        }
      }),
      runsWithRare(1, [decidedUnread]),
    );
  });

  it('a refund of which nothing says whose it is, by its reference alone; what reports say, by either', () => {
    fc.assert(
      fc.property(world, (world) => {
        const { records, orders } = judge(world);
        const said = saidOf(world, statesOf([...world.proofs, ...world.reports]));
        for (const { family, reference } of orders) {
          const unlinked = records.payout.filter(
            (payout) =>
              named(payout) === reference &&
              possibleOf(payout, records, world).length === 0 &&
              !new Map(world.assigned).has(payout.id) &&
              isUnlinkedRefund(payout, defaultPayoutWords),
          );
          expect(byId(family.unlinked)).toEqual(byId(unlinked));
          const ids = around(family).map(({ id }) => id);
          const unread = records.payout.filter(
            (payout) => isUnread(payout, world) && ids.includes(possibleOf(payout, records, world)[0] ?? ''),
          );
          const counts = [said.reportedReferences.get(reference), ...ids.map((id) => said.reportedIntents.get(id))];
          const reported = counts.reduce<number>((sum, n) => sum + (n ?? 0), unread.length);
          expect(family.refundReported).toBe(reported > 0);
          expect(family.manyReported).toBe(reported > 3 || (reported > 0 && world.polledLate));
          expect([family.saysPaid, family.showsKyt]).toEqual([said.saysPaid.has(reference), world.showsKyt]);
        }
      }),
      runsWithRare(1, [decidedUnread]),
    );
  });
});

/** Its payments, and those that it could have. */
function around({ intents, contested }: JudgedOrder['family']): ShownRecord[] {
  return [...intents, ...contested.map(({ intent }) => intent)];
}

function byId(records: readonly ShownRecord[]): ShownRecord[] {
  return records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Reports alone speak of it, and nobody has decided. */
function isUnread({ id, absent, unknown }: ShownRecord, { assigned }: World): boolean {
  return unknown === true && !absent && !assigned.some(([payout]) => payout === id);
}

/** A person's word; else the payments that name it, those that the service lists before others; then its own word. The first owns it. */
function possibleOf(payout: ShownRecord, records: FamilyRecords, { assigned }: World): string[] {
  const decided = new Map(assigned).get(payout.id);
  if (decided !== undefined) return decided === null ? [] : [decided];
  const naming = records.payment_intent.filter((intent) => says(intent, 'irregularRefundPayoutId', payout.id));
  const of = (isAbsent: boolean) =>
    naming
      .filter(({ absent }) => absent === isAbsent)
      .map(({ id }) => id)
      .sort();
  const { payoutType, paymentIntentId } = payout.fields;
  const isSettlement = typeof payoutType === 'string' && payoutType.toLowerCase().includes('settle');
  const own = typeof paymentIntentId === 'string' && !isSettlement ? [paymentIntentId] : [];
  return [...of(false), ...of(true), ...own].filter((id) => id !== '');
}
