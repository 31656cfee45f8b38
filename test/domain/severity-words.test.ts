import { expect, test } from 'vitest';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import type { BreakKind } from '../../src/domain/breaks/breaks.js';
import type { Severity } from '../../src/domain/breaks/findings.js';
import { severityWords } from '../../src/domain/state/severity-words.js';
import { stateOf } from '../../src/domain/state/state.js';
import { calm, provenKind } from './calm-facts.js';
import { NOW } from './random-facts.js';

const open = (kind: BreakKind, severity: Severity) => ({ kind, severity, count: 1, oldestSeconds: 60, money: [] });
const said = (facts: Partial<AlertFacts>, kind: BreakKind, severity: Severity) =>
  severityWords(stateOf({ ...calm, ...facts }, [], NOW), { kind, severity });
const unread = provenKind('balances', {
  provenSecondsAgo: 4_000,
  reason: 'LTC: payout p: payoutType "voucher" is on no list of movements.words.payoutType',
});

test('a break that Overview shows as worse than it is by itself says so, and what for', () => {
  const breaks = [open('contract_violation', 'low')];
  expect(said({ breaks }, 'contract_violation', 'low')).toBeNull();
  const facts = { breaks, kinds: [unread], newPayoutTypes: ['voucher'] };
  expect(said(facts, 'contract_violation', 'low')).toBe(
    'low by itself; critical on Overview, for what follows from it: What the service says of a kind is not known any more: balances',
  );
  const off = [open('endpoint_inactive', 'high')];
  expect(said({ breaks: off }, 'endpoint_inactive', 'high')).toBe(
    'high by itself; critical on Overview, as its alert is',
  );
});

test('and so does one that follows from something worse; the worst of its kind says nothing', () => {
  const missed = {
    class: 'never_reached',
    awaited: 3,
    missed: 3,
    recovered: 0,
    recoverable: 3,
    oldestSeconds: 60,
  } as const;
  const facts = {
    breaks: [open('missed_webhook', 'medium'), open('missed_webhook', 'critical')],
    missed: 3,
    awaited: [{ ...missed, from: null, to: null }],
  };
  expect(said(facts, 'missed_webhook', 'medium')).toBe(
    'medium by itself; critical on Overview, as it follows from another problem: Deliveries of the service are missing here',
  );
  expect(said(facts, 'missed_webhook', 'critical')).toBeNull();
});
