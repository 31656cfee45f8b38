import { expect, test } from 'vitest';
import { checkPayouts, type PayoutInHand } from '../../src/domain/breaks/payouts.js';

const HOUR = 3_600_000;
const now = Date.parse('2026-05-01T12:00:00Z');
const about = { now, adoptedAt: now - 100 * HOUR, graceMs: 24 * HOUR, offersList: true };

function payout(given: Partial<PayoutInHand>): PayoutInHand {
  return {
    id: 'po_1',
    fields: { status: 'pending' },
    listed: true,
    createdAt: now - 30 * HOUR,
    updatedAt: null,
    firstSeenAt: now - 30 * HOUR,
    observedAt: now - HOUR,
    observedBy: { type: 'poll', ref: '1' },
    ...given,
  };
}

const opened = (given: Partial<PayoutInHand>, other: Partial<typeof about> = {}) =>
  checkPayouts([payout(given)], { ...about, ...other }).open.map(({ kind }) => kind);

test('an open payout of the list that has not moved for longer than the grace is stuck', () => {
  expect(opened({})).toEqual(['payout_stuck']);
  expect(opened({ updatedAt: now - 2 * HOUR })).toEqual([]);
  expect(opened({}, { graceMs: 31 * HOUR })).toEqual([]);
  expect(opened({ fields: { status: 'a state of its own' } })).toEqual(['payout_stuck']);
  expect(opened({ fields: { status: 'confirmed' } })).toEqual([]);
  expect(opened({ fields: { status: 'failed' } })).toEqual([]);
});

test('without a list it is untracked once nothing has shown it for so long, stuck where it was last under review', () => {
  const unlisted = { listed: false, observedAt: now - 30 * HOUR };
  const noList = { offersList: false };
  expect(opened(unlisted, noList)).toEqual(['payout_untracked']);
  expect(opened({ ...unlisted, observedAt: now - HOUR }, noList)).toEqual([]);
  expect(opened({ ...unlisted, fields: { status: 'pending', failureReason: 'review' } }, noList)).toEqual([
    'payout_stuck',
  ]);
  expect(opened(unlisted)).toEqual([]);
});

test('history is no break, and what is none any more is resolved', () => {
  const old = checkPayouts([payout({ createdAt: now - 200 * HOUR })], about);
  expect(old.open).toEqual([]);
  expect(opened({ createdAt: now - 200 * HOUR, updatedAt: now - 60 * HOUR })).toEqual(['payout_stuck']);
  const { open, resolve } = checkPayouts([payout({ fields: { status: 'confirmed' } })], about);
  expect(open).toEqual([]);
  expect(resolve.map(({ kind }) => kind)).toEqual(['payout_stuck', 'payout_untracked']);
  const stuck = checkPayouts([payout({})], about);
  expect(stuck.resolve.map(({ kind }) => kind)).toEqual(['payout_untracked']);
  expect(stuck.open[0]?.evidence).toMatchObject({ ours: { status: 'pending', ageHours: '30' }, graceHours: '24' });
});

test('the finding of a payout says what both sides know, and of one that moved it is a new case', () => {
  const fields = { status: 'pending', amount: '5', assetCode: 'BTC', failureReason: 'review' };
  const [found] = checkPayouts([payout({ fields })], about).open;
  expect(found?.entity).toEqual({ kind: 'payout', id: 'po_1' });
  expect(found?.evidence).toEqual({
    ours: { ...fields, lastMoveAt: '2026-04-30T06:00:00.000Z', ageHours: '30' },
    theirs: { list: 'offered', lastShownAt: '2026-05-01T11:00:00.000Z', source: { type: 'poll', ref: '1' } },
    graceHours: '24',
  });
  const silent = { listed: false, observedAt: now - 25 * HOUR, fields: {} };
  const noList = { ...about, offersList: false };
  expect(checkPayouts([payout(silent)], noList).open[0]?.evidence).toMatchObject({
    ours: { status: null, amount: null, assetCode: null, failureReason: null },
    theirs: { list: 'not offered' },
  });
  const causeOf = (given: Partial<PayoutInHand>) => checkPayouts([payout({ fields, ...given })], about).open[0]?.cause;
  expect(causeOf({ observedAt: now })).toBe(found?.cause);
  const moved = [
    { updatedAt: now - 29 * HOUR },
    { fields: { ...fields, status: 'approved' } },
    { fields: { ...fields, failureReason: null } },
  ];
  expect(new Set([found?.cause, ...moved.map(causeOf)]).size).toBe(4);
});

test('it is old once it is older than the grace: since it moved, was made, or was first seen, and nothing showed it since', () => {
  const due = now - 24 * HOUR;
  expect(opened({ createdAt: due })).toEqual([]);
  expect(opened({ createdAt: due - 1 })).toEqual(['payout_stuck']);
  expect(opened({ createdAt: due - 1, firstSeenAt: now })).toEqual(['payout_stuck']);
  expect(opened({ createdAt: null, firstSeenAt: due })).toEqual([]);
  expect(opened({ createdAt: null, firstSeenAt: due - 1 })).toEqual(['payout_stuck']);
  expect(opened({ createdAt: due - 1, updatedAt: due })).toEqual([]);
  const unlisted = { listed: false, observedAt: due - 1 };
  expect(opened({ ...unlisted, createdAt: due - 1 }, { offersList: false })).toEqual(['payout_untracked']);
  expect(opened({ ...unlisted, createdAt: due }, { offersList: false })).toEqual([]);
  expect(opened({ observedAt: due, createdAt: due - 1 }, { offersList: false })).toEqual([]);
  expect(opened({ listed: true, observedAt: due - 1 }, { offersList: false })).toEqual(['payout_untracked']);
  expect(opened({ createdAt: about.adoptedAt - 1 })).toEqual([]);
  expect(opened({ createdAt: about.adoptedAt })).toEqual(['payout_stuck']);
  expect(opened({ createdAt: null, firstSeenAt: about.adoptedAt - 1 })).toEqual(['payout_stuck']);
});
