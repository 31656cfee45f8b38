import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPayoutWords } from '../../../src/domain/family/links.js';
import { isUndecided, saidRefunds, saysPaid } from '../../../src/domain/family/said.js';
import type { Json, JsonObject } from '../../../src/domain/json.js';
import { show } from '../../../src/domain/merge.js';
import { emptyState, type Statement } from '../../../src/domain/record-state.js';
import { runs, START } from './worlds.js';

const type = fc.constantFrom<Json>('refund', 'withdrawal', 'Settlement', 'odd', null);
const links = {
  paymentIntentId: fc.constantFrom<Json>('p1', 'p2', '', null),
  merchantReference: fc.constantFrom<Json>('A', 'B', '', null),
};
const fields: fc.Arbitrary<JsonObject> = fc.record({ ...links, payoutType: type }, { requiredKeys: [] });
const claim: fc.Arbitrary<Statement> = fc
  .record({
    fields,
    at: fc.nat(9).map((seconds) => START + seconds * 1000),
    type: fc.constantFrom('webhook', 'webhook', 'webhook', 'delivery_history', 'api_response'),
    ref: fc.constantFrom('1', '2', '3'),
  })
  .map(({ fields, at, type, ref }) => ({
    state: 'none:',
    from: at,
    to: at + 999,
    hash: JSON.stringify(fields),
    fields,
    source: { type, ref },
  }));
const shownAndClaims = fc
  .tuple(fields, fc.array(claim, { maxLength: 5 }))
  .chain(([shown, claims]) =>
    fc.tuple(fc.constant(shown), fc.constant(claims), fc.shuffledSubarray(claims, { minLength: claims.length })),
  );

const isNoRefund = (value: Json | undefined) =>
  typeof value === 'string' && ['withdrawal', 'settlement'].includes(value.toLowerCase());
const isName = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

describe('what reports say that a payout gives back', () => {
  it('is each name by itself that the record does not show, by each report, until the last time that it said so', () => {
    fc.assert(
      fc.property(shownAndClaims, ([shown, claims, shuffled]) => {
        const expected = new Map<string, number>();
        const add = (key: string, until: number) => expected.set(key, Math.max(until, expected.get(key) ?? 0));
        for (const { fields, to, source } of claims) {
          if (source.type !== 'webhook') continue;
          const { paymentIntentId: payment, merchantReference: reference } = fields;
          if (isName(payment) && payment !== shown['paymentIntentId']) add(`payment ${payment} ${source.ref}`, to);
          const isOther = isNoRefund('payoutType' in shown ? shown['payoutType'] : fields['payoutType']);
          if (isName(reference) && reference !== shown['merchantReference'] && !isOther)
            add(`order ${reference} ${source.ref}`, to);
        }
        const said = saidRefunds(shown, claims, defaultPayoutWords);
        expect(said.map(({ of, name, by, until }) => `${of} ${name} ${by} ${until}`).sort()).toEqual(
          [...expected].map(([key, until]) => `${key} ${until}`).sort(),
        );
        expect(saidRefunds(shown, shuffled, defaultPayoutWords)).toEqual(said);
      }),
      runs(8),
    );
  });

  it('withholds until a person decides, or history disproves it, or links it, or lacks it; what nothing shows until it is denied', () => {
    const flag = fc.boolean();
    const flags = { known: flag, absent: flag, linked: flag, searched: flag, assigned: flag, disproved: flag };
    fc.assert(
      fc.property(fc.record(flags), (state) => {
        const { known, absent, linked, searched, assigned, disproved } = state;
        const ends = [assigned, disproved, ...(known ? [linked, searched] : [absent])];
        expect(isUndecided(state)).toBe(!ends.includes(true));
      }),
      runs(4),
    );
  });
});

describe('a report that says paid', () => {
  it('shows on a payment that nothing else shows, or where it goes further than what was read', () => {
    const status = fc.constantFrom<Json>('completed', 'pending', null);
    const dispute = fc.constantFrom<Json>('encashed', 'refunded', 'none', null);
    const reported = fc.option(fc.record({ status, irregularStatus: dispute }));
    fc.assert(
      fc.property(reported, fc.boolean(), fc.boolean(), (reported, known, doubted) => {
        const isPaid = reported?.['status'] === 'completed' || reported?.['irregularStatus'] === 'encashed';
        const shown = { ...show('payment_intent', emptyState), reported, known, doubted };
        expect(saysPaid(shown)).toBe(isPaid && (doubted || !known));
      }),
      runs(2),
    );
  });
});
