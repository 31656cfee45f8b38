import { expect, test } from 'vitest';
import { checkPayouts, type PayoutInHand } from '../../src/domain/checks/payouts.js';

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
