import * as fc from 'fast-check';
import { conditions } from '../../src/domain/alerts/alerts.js';
import type { AlertFacts, KindFacts } from '../../src/domain/alerts/facts.js';
import { type BreakKind, breakKinds } from '../../src/domain/breaks/breaks.js';
import { severities } from '../../src/domain/breaks/findings.js';
import type { DeliveryClass } from '../../src/domain/deliveries/delivery-class.js';
import { rejectionReasons } from '../../src/domain/rejection-words.js';
import type { OpenAlert } from '../../src/domain/state/state.js';
import { calm } from './calm-facts.js';

export const NOW = new Date('2026-11-26T12:00:00Z');

const seconds = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 10_000_000 }));
const few = fc.integer({ min: 0, max: 7 });
const sentAt = fc.option(fc.constantFrom('2026-11-26T10:00:00.000Z', '2026-11-26T11:30:30.500Z'));
const kind: fc.Arbitrary<Omit<KindFacts, 'kind'>> = fc.record({
  everySeconds: fc.option(fc.constantFrom(120, 300, 3_600)),
  provenSecondsAgo: fc.option(seconds),
  completeUntil: fc.option(fc.constant('2026-11-26T11:00:00.000Z')),
  ageSeconds: fc.option(seconds),
  reason: fc.option(
    fc.constantFrom(
      'the newest run failed: service_unavailable: listPayouts: no answer',
      'the newest run failed: service_unauthorized: listPayouts: the API key is not accepted',
      'degraded: there is no list',
      'LTC: payout p: payoutType "voucher" is on no list of movements.words.payoutType',
      'no run has ended yet',
    ),
  ),
});
/** What may be wrong, and most of the time not all of it at once. */
export const facts: fc.Arbitrary<AlertFacts> = fc
  .record({
    webhooks: fc.record({ halfHour: few, before: fc.integer({ min: 0, max: 500 }), unproven: few }),
    invalidSignatures: fc.record({ sinceMatch: few, fiveMinutes: few, share: fc.constantFrom(0, 0.1, 0.5) }),
    expiredTimestamps: fc.record({ halfHour: few, share: fc.constantFrom(0, 0.95) }),
    noSecretAccepted: fc.option(fc.boolean()),
    secretsFrom: fc.constantFrom('WEBHOOK_SECRETS', 'WEBHOOK_SECRETS_FILE', null),
    replacedEndpoints: fc.constantFrom([], [{ label: 'live', endpointId: 'we_1', id: 'we_2', createdAt: null }]),
    rejected: fc.uniqueArray(
      fc.record({
        reason: fc.constantFrom(...rejectionReasons),
        count: fc.nat(900),
        likeService: few,
        oldestSeconds: seconds,
      }),
      { selector: ({ reason }) => reason, maxLength: 3 },
    ),
    backlog: fc.record({ waiting: few, failed: few, dead: few, oldestSeconds: seconds }),
    missed: fc.option(fc.constant(0)),
    awaited: fc.uniqueArray(
      fc.record({
        class: fc.constantFrom<DeliveryClass[]>('phantom', 'rejected', 'never_reached', 'pending_retry'),
        awaited: few,
        missed: few,
        recovered: few,
        recoverable: few,
        oldestSeconds: seconds,
        from: sentAt,
        to: sentAt,
      }),
      {
        selector: (one) => one.class,
      },
    ),
    breaks: fc.uniqueArray(
      fc.record({
        kind: fc.oneof(
          fc.constantFrom<BreakKind[]>(
            'missed_webhook',
            'rejected_delivery',
            'phantom_delivery',
            'balance_residual',
            'contract_violation',
          ),
          fc.constantFrom(...breakKinds),
        ),
        severity: fc.constantFrom(...severities),
        count: fc.integer({ min: 1, max: 900 }),
        oldestSeconds: seconds,
        money: fc.constant([]),
        worth: fc.constantFrom(0, 25, 2_500),
      }),
      { selector: (one) => `${one.kind} ${one.severity}`, maxLength: 5 },
    ),
    kinds: fc
      .array(kind, { maxLength: 4 })
      .map((some) => some.map((of, n) => ({ ...of, kind: n === 1 ? 'balances' : `kind ${n}` }))),
    outage: fc.option(
      fc.record({
        why: fc.constantFrom('away', 'refused'),
        since: fc.constant('2026-11-26T11:50:00.000Z'),
        seconds,
        runs: fc.integer({ min: 1, max: 3 }),
        attempts: few,
        operations: few,
        what: fc.constant('reads of payouts'),
        error: fc.constantFrom(
          'service_unavailable: listPayouts: the service failed, status 503',
          'service_unavailable: listPayouts: no connection (ECONNREFUSED)',
        ),
        webhookAt: fc.option(fc.constant('2026-11-26T11:55:00.000Z')),
      }),
    ),
    serviceBack: fc.option(fc.constant({ since: '2026-11-26T11:52:00.000Z', seconds: 480 })),
    heldByOutage: few,
    answeredSeconds: fc.option(fc.integer({ min: 0, max: 300 })),
    balances: fc.record({
      total: few,
      unproven: fc.array(
        fc.record({
          assetCode: fc.constantFrom('BTC', 'ETH'),
          why: fc.constant('why'),
          isUnexplained: fc.boolean(),
          isOfNewType: fc.boolean(),
        }),
        { maxLength: 2 },
      ),
    }),
    newPayoutTypes: fc.constantFrom([], ['voucher']),
    newPayouts: fc.constant({ count: 1, money: [{ amount: '5', currency: 'BTC' }] }),
    canary: fc.option(
      fc.constant({
        everySeconds: 300,
        secondsAgo: 60,
        answeredMs: null,
        storedMs: null,
        appliedMs: null,
        error: 'failed: ENOTFOUND',
        cameSecondsAgo: null,
        failures: 3,
      }),
    ),
    lostCalls: fc.uniqueArray(
      fc.record({ operation: fc.constantFrom('createRefund', 'createInvoice'), count: fc.integer({ min: 1, max: 3 }) }),
      { selector: ({ operation }) => operation },
    ),
    swallowed: fc.record({ count: few, seconds, from: sentAt, to: sentAt }),
    openCalls: few,
    heldByRefund: few,
    decisions: fc.record({ waiting: few, oldestSeconds: seconds }),
    callbacks: fc.record({ dead: few, oldestSeconds: seconds }),
    seals: fc.record({ oldestUnsealedSeconds: seconds, unverifiedSeconds: seconds, findings: fc.option(few) }),
    channels: fc.uniqueArray(
      fc.record({ channel: fc.constantFrom('slack', 'mail'), failingSeconds: seconds, error: fc.constant('e') }),
      { selector: ({ channel }) => channel },
    ),
    parts: fc.uniqueArray(
      fc.record({ part: fc.constantFrom('receiver', 'worker', 'alerts', 'queue'), secondsAgo: seconds }),
      { selector: ({ part }) => part },
    ),
    settings: fc.constantFrom([], [{ setting: 'A', values: 'on at worker' }]),
    ageSeconds: seconds,
  })
  .chain((wild) =>
    fc
      .subarray(Object.keys(wild) as (keyof AlertFacts)[])
      .map((names) => counted({ ...calm, ...Object.fromEntries(names.map((name) => [name, wild[name]])) })),
  );

/** As deliveries are counted: none is missed that is not awaited, and what is swallowed is not here. */
function counted({ missed, awaited: given, swallowed, ...rest }: AlertFacts): AlertFacts {
  const awaited = given.map((one) => ({
    ...one,
    missed: one.class === 'pending_retry' ? 0 : Math.min(one.missed, one.awaited),
    recoverable: Math.min(one.recoverable, one.awaited),
    recovered: Math.min(one.recovered, one.awaited - Math.min(one.recoverable, one.awaited)),
  }));
  const phantoms = awaited.find((one) => one.class === 'phantom')?.awaited ?? 0;
  return {
    ...rest,
    missed: missed === null ? null : awaited.reduce((sum, one) => sum + one.missed, 0),
    awaited,
    swallowed: { ...swallowed, count: Math.min(swallowed.count, phantoms) },
  };
}

const alert: fc.Arbitrary<OpenAlert> = fc
  .record({
    condition: fc.constantFrom(...conditions),
    subject: fc.constantFrom('', 'payouts', 'receiver'),
    isFiring: fc.boolean(),
    unseenSeconds: fc.constantFrom(0, 30, 300),
  })
  .map(({ condition: { name, severity, summary }, subject, isFiring, unseenSeconds }) => ({
    isFiring,
    seenAt: new Date(NOW.getTime() - unseenSeconds * 1_000),
    name,
    subject,
    severity,
    summary,
    detail: 'd',
    since: new Date(NOW.getTime() - 600_000),
  }));
export const alerts = fc.uniqueArray(alert, { selector: ({ name, subject }) => `${name} ${subject}`, maxLength: 3 });
