import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckedRecord } from '../../src/domain/breaks/check-facts.js';
import {
  classifyListing,
  type DisputeStanding,
  outsideIrregular,
  standingOf,
  unknownStanding,
} from '../../src/domain/breaks/disputes.js';
import type { JsonObject } from '../../src/domain/json.js';
import { checked } from '../support/checked-facts.js';
import { sized } from '../support/sizes.js';

const listing = { from: 1_000, to: 2_000, ids: new Set<string>() };
const sort = fc.constantFrom('exactlyPaid' as const, 'amountDiffers' as const);
const place = fc.constantFrom<DisputeStanding['place'][]>('listed', 'outside', 'awaited', 'unknown');
const disputes = fc.uniqueArray(fc.record({ id: fc.uuid(), sort, place }), { selector: ({ id }) => id, maxLength: 12 });
const rounds = fc.array(disputes, { minLength: 1, maxLength: 8 });

/** What stays open after these listings, one after the other. */
function openAfter(listings: readonly DisputeStanding[][]): JsonObject | null {
  return listings.reduce<JsonObject | null>(
    (before, round) => classifyListing(round, listing, before).open[0]?.evidence ?? null,
    null,
  );
}

describe('the finding about the filter irregular', () => {
  it('is one for the account, open as long as a sort of dispute is missed, or none of it was seen in the list since', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const open = openAfter(all);
        for (const one of ['exactlyPaid', 'amountDiffers'] as const) {
          const has = (round: DisputeStanding[], where: DisputeStanding['place']): boolean =>
            round.some((dispute) => dispute.sort === one && dispute.place === where);
          const lastOutside = all.findLastIndex((round) => has(round, 'outside'));
          const cleared = all
            .slice(lastOutside + 1)
            .some((round) => has(round, 'listed') && !has(round, 'awaited') && !has(round, 'outside'));
          expect(open !== null && one in open).toBe(lastOutside >= 0 && !cleared);
        }
      }),
    );
  });

  it('names the same entity always, counts what is outside, and is low where the specification allows it', () => {
    fc.assert(
      fc.property(disputes, (round) => {
        const { open, resolve } = classifyListing(round, listing, null);
        const outside = round.filter((dispute) => dispute.place === 'outside');
        expect([...open, ...resolve].map(({ kind, entity }) => ({ kind, entity }))).toEqual([outsideIrregular]);
        expect(open.length).toBe(outside.length > 0 ? 1 : 0);
        const counted = Object.values(open[0]?.evidence ?? {}) as {
          source: { payments: string; examples: string[] };
        }[];
        expect(counted.reduce((sum, { source }) => sum + Number(source.payments), 0)).toBe(outside.length);
        expect(counted.every(({ source }) => source.examples.length <= 5)).toBe(true);
        const differs = outside.some((dispute) => dispute.sort === 'amountDiffers');
        expect(open[0]?.severity).toBe(outside.length > 0 && !differs ? 'low' : undefined);
      }),
    );
  });
});

describe('a filter that misses nothing', () => {
  const SECOND = 1_000;
  const request = fc.record({
    from: fc.integer({ min: 0, max: 180 * SECOND }),
    lasts: fc.integer({ min: 0, max: 20 * SECOND }),
  });
  const share = fc.integer({ min: 0, max: 100 });
  const within = ({ from, lasts }: { from: number; lasts: number }, part: number) => from + (lasts * part) / 100;

  it('is never said to miss a dispute, however slow the requests that showed it, and whenever it began', () => {
    fc.assert(
      fc.property(request, share, request, share, request, (shown, shownPart, read, readPart, again) => {
        // The dispute began in the moment in which a reading showed it; the filter was read in its own.
        const isListed = within(shown, shownPart) <= within(read, readPart);
        const record = {
          id: 'pi_1',
          fields: { totalAmountReceived: '1', amountCryptoExpected: '2' },
          since: shown.from,
          readAt: Math.max(shown.from, again.from),
          verified: true,
          history: false,
        } as unknown as CheckedRecord;
        const ids = new Set(isListed ? ['pi_1'] : []);
        const { place } = standingOf(record, { from: read.from, to: read.from + read.lasts, ids });
        expect(place).not.toBe('outside');
      }),
      { numRuns: sized(1_000, 50_000) },
    );
  });

  it('is not said to miss one that an event reported in the second in which the filter was read', () => {
    const record = { id: 'pi_1', fields: {}, since: 10_000, readAt: 20_000, verified: true, history: false };
    const standing = standingOf(record as unknown as CheckedRecord, { from: 10_200, to: 10_300, ids: new Set() });
    expect(standing.place).toBe('unknown');
  });
});

describe('an open dispute beside a listing', () => {
  const MINUTE = 60_000;
  const FROM = 1_000_000;
  const list = { from: FROM, to: FROM + 1_000, ids: new Set(['pi_2']) };
  const long = { since: FROM - MINUTE - 1, readAt: list.to };
  const standing = (about: Partial<CheckedRecord> = {}, fields: JsonObject = {}, id = 'pi_1') =>
    standingOf(checked('payment_intent', id, fields, { ...long, ...about }), list);

  it.each<[string, DisputeStanding['place'], Partial<CheckedRecord>, string?]>([
    ['that is listed', 'listed', {}, 'pi_2'],
    ['that is listed, as old as can be', 'listed', { history: true }, 'pi_2'],
    ['that began a minute before, and was read again since', 'outside', {}],
    ['that began within the minute before', 'unknown', { since: FROM - MINUTE }],
    ['of which nobody knows when it began', 'unknown', { since: null }],
    ['from before adoption', 'unknown', { history: true }],
    ['that was not read since', 'awaited', { readAt: list.to - 1 }],
    ['that was never read', 'awaited', { readAt: null }],
    ['that only an event shows', 'unknown', { verified: false }],
  ])('%s is %s', (_name, place, about, id) => expect(standing(about, {}, id).place).toBe(place));

  const due = { amountCryptoExpected: '10' };
  it.each<[string, DisputeStanding['sort'], JsonObject]>([
    ['as much as was due', 'exactlyPaid', { ...due, totalAmountReceived: '10.0' }],
    ['more than was due', 'amountDiffers', { ...due, totalAmountReceived: '10.1' }],
    ['less than was due', 'amountDiffers', { ...due, totalAmountReceived: '9.9' }],
    ['nobody knows what', 'exactlyPaid', due],
    [
      'something, and nobody knows what was due',
      'exactlyPaid',
      { totalAmountReceived: '9', requestedCurrencyType: 'fiat' },
    ],
  ])('that received %s is %s', (_name, one, fields) => {
    expect(standing({}, fields)).toEqual({ id: 'pi_1', sort: one, place: 'outside' });
  });

  it('that could not be held against the listing may be of either sort', () => {
    expect(unknownStanding('pi_1')).toEqual([
      { id: 'pi_1', sort: 'exactlyPaid', place: 'awaited' },
      { id: 'pi_1', sort: 'amountDiffers', place: 'awaited' },
    ]);
  });

  it('is shown with what was read, how many there are, and five of them', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const missed = ids.map((id): DisputeStanding => ({ id, sort: 'amountDiffers', place: 'outside' }));
    const source = { filter: 'irregular', readFrom: '1970-01-01T00:16:40.000Z', readTo: '1970-01-01T00:16:41.000Z' };
    expect(classifyListing(missed, list, null).open[0]?.evidence).toEqual({
      amountDiffers: {
        ours: 'pending_decision',
        theirs: 'not listed',
        source: { ...source, payments: '6', examples: ids.slice(0, 5) },
      },
    });
  });
});
