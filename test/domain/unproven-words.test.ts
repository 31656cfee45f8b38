import { expect, it } from 'vitest';
import { findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import { isOfNewType } from '../../src/domain/balances/movements.js';
import { calm, provenKind } from './calm-facts.js';

const MOVES = 'it moved each time that it was read';
const VOUCHER = 'payout po_1: payoutType "voucher" is on no list of movements.words.payoutType (and 3 more)';
const RATE = 'the newest run failed: service_rate_limited: getBalance: status 429';

const types = { newPayoutTypes: ['voucher'], newPayouts: { count: 1, money: [{ amount: '5', currency: 'LTC' }] } };
const remedy = (reason: string | null, kind = 'balances', more = {}) =>
  findAlerts({ ...calm, ...more, kinds: [provenKind(kind, { provenSecondsAgo: 9_000, reason })] }).map(remedyOf)[0];

it('what to do about a kind that is unproven for long is by its reason: the key, the rate or the service only where it is one of these', () => {
  expect(remedy(RATE)).toMatch(/^The page Runs says why its runs fail: the key, the rate or the service\./);
  expect(remedy(`LTC: ${VOUCHER}; BTC: ${MOVES}`, 'balances', types)).toMatch(
    /^It follows from the payout type “voucher”\. Find out what it is, then put “voucher” into a class/,
  );
  const others = [remedy(`BTC: ${MOVES}`), remedy('BTC: 1 is unexplained'), remedy('a page was left out', 'payouts')];
  expect(others).toEqual([
    'Nothing failed: what moves is read again with each run. The page Balances says of each what it waits for.',
    'The page Runs says why. Orders that only webhooks reported stay held until then.',
    'The page Runs says why. Orders that only webhooks reported stay held until then.',
  ]);
  expect(remedy(null)).toMatch(/^See that “tallyhook schedule” runs/);
});

it('a balance is unproven because of a new type also where one of its assets moves, or others do, and not where something else is wrong', () => {
  const of = (reason: string | null) => isOfNewType(reason, ['LTC']);
  const yes = [`LTC: ${VOUCHER}`, `BTC: ${MOVES}; LTC: ${VOUCHER}`, `LTC: ${MOVES}`, `BTC, LTC and ETH: ${MOVES}`];
  const no = [null, `BTC: ${MOVES}`, `LTC: ${VOUCHER}; BTC: 1 is unexplained`, `LTC: ${VOUCHER}; ${RATE}`];
  expect([yes.map(of), no.map(of)]).toEqual([yes.map(() => true), no.map(() => false)]);
});
