import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { conditionNamed, conditions, findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import { breakDefinitions, breakKinds } from '../../src/domain/breaks/breaks.js';
import { AWAY, provenKind, SENT, calm as well } from './calm-facts.js';

/** A lost call that moved no money is no alert. */
const calm: AlertFacts = {
  ...well,
  lostCalls: [{ operation: 'createInvoice', count: 1 }],
  // Samples say whether there are some; these, how many.
  rejected: [
    { reason: 'invalid_signature', count: 45, likeService: 40, oldestSeconds: 60 },
    { reason: 'expired_timestamp', count: 50, likeService: 50, oldestSeconds: 60 },
  ],
};

const open = (kind: string, severity: string, oldestSeconds = 60) =>
  ({ breaks: [{ kind, severity, count: 2, oldestSeconds, money: [] }] }) as unknown as Partial<AlertFacts>;
const proven = (provenSecondsAgo: number | null, everySeconds = 300, ageSeconds = 90_000): Partial<AlertFacts> => ({
  kinds: [provenKind('payouts', { everySeconds, provenSecondsAgo })],
  ageSeconds,
});

test('nothing fires while all is well, nor where nothing is measured yet', () => {
  expect(findAlerts(calm)).toEqual([]);
  expect(findAlerts({ ...calm, missed: null, kinds: [], ageSeconds: 0 })).toEqual([]);
});

const heard = (before: number, unproven = 0) => ({ webhooks: { halfHour: 0, before, unproven } });
const silent = (part: string, secondsAgo: number): Partial<AlertFacts> => ({ parts: [{ part, secondsAgo }] });

const canary = (failures: number): AlertFacts['canary'] => ({
  everySeconds: 300,
  secondsAgo: 20,
  answeredMs: null,
  storedMs: null,
  appliedMs: null,
  error: 'failed: ENOTFOUND',
  cameSecondsAgo: 900,
  failures,
});

const away = (changed: Partial<typeof AWAY>): Partial<AlertFacts> => ({ outage: { ...AWAY, ...changed } });
const SINCE = 'The payment service does not answer since 2026-11-26 14:02 UTC: reads of endpoints, payouts';

/** What holds, what does not, and what is sent of the former. */
const holding: [string, string, Partial<AlertFacts>, Partial<AlertFacts>, string][] = [
  [
    'Down',
    'receiver',
    silent('receiver', 121),
    silent('receiver', 120),
    'No receiver has been at work for 2 minutes. Webhooks are not taken.',
  ],
  [
    'Down',
    'worker',
    silent('worker', 600),
    silent('alerts', 121),
    'No worker has been at work for 10 minutes. Events are stored and not applied.',
  ],
  [
    'QueueDown',
    '',
    silent('queue', 61),
    silent('queue', 60),
    'Redis has not answered for 1 minute. Webhooks are applied some seconds later, and commands of the console wait. Nothing is lost: events are in Postgres.',
  ],
  ['NoWebhooks', '', heard(121), heard(120), '121 came in the six hours before.'],
  [
    'NoWebhooks',
    '',
    heard(500, 2),
    {},
    '2 came that the service’s own lists do not bear out: whoever holds a secret may have sent them. 500 came in the six hours before.',
  ],
  [
    'NothingArrives',
    '',
    { swallowed: { count: 3, seconds: 40, ...SENT } },
    { swallowed: { count: 2, seconds: 4_000, ...SENT } },
    '3 deliveries in a row are noted as taken by the service, and none of them is here. The first was sent at 2026-11-26 11:20 UTC, the newest at 2026-11-26 11:55 UTC.',
  ],
  ['CanaryFails', '', { canary: canary(3) }, { canary: canary(2) }, '3 in a row: failed: ENOTFOUND.'],
  [
    'NoSecretAccepted',
    '',
    { noSecretAccepted: true },
    { noSecretAccepted: false },
    'At a receiver every secret is retired: no webhook is accepted.',
  ],
  [
    'InvalidSignatures',
    '',
    { invalidSignatures: { sinceMatch: 3, fiveMinutes: 3, share: 0.01 } },
    { invalidSignatures: { sinceMatch: 2, fiveMinutes: 2, share: 1 } },
    '40 of 45 rejected in the last hour carry the service’s headers and a signature that no secret of ours made: none is taken.',
  ],
  [
    'InvalidSignatures',
    '',
    { invalidSignatures: { sinceMatch: 0, fiveMinutes: 3, share: 0.21 } },
    { invalidSignatures: { sinceMatch: 0, fiveMinutes: 3, share: 0.2 } },
    '40 of 45 rejected in the last hour carry the service’s headers and a signature that no secret of ours made; none since one was right, and this ends within five minutes.',
  ],
  [
    'InvalidSignatures',
    '',
    { invalidSignatures: { sinceMatch: 1, fiveMinutes: 60, share: 1 } },
    { invalidSignatures: { sinceMatch: 1, fiveMinutes: 2, share: 1 } },
    '40 of 45 rejected in the last hour carry the service’s headers and a signature that no secret of ours made.',
  ],
  [
    'ExpiredTimestamps',
    '',
    { expiredTimestamps: { halfHour: 3, share: 1 } },
    { expiredTimestamps: { halfHour: 2, share: 1 } },
    '50 in the last hour, and of the last half hardly any was taken: a clock is wrong, or nothing comes but late retries.',
  ],
  [
    'ExpiredTimestamps',
    '',
    { expiredTimestamps: { halfHour: 400, share: 0.91 } },
    { expiredTimestamps: { halfHour: 400, share: 0.9 } },
    '50 in the last hour, and of the last half hardly any was taken: a clock is wrong, or nothing comes but late retries.',
  ],
  [
    'EventsWait',
    '',
    { backlog: { ...calm.backlog, oldestSeconds: 121 } },
    { backlog: { ...calm.backlog, oldestSeconds: 120 } },
    'The oldest has waited for 2 minutes: no worker runs, or too few.',
  ],
  ['DeadEvents', '', { backlog: { ...calm.backlog, dead: 1, oldestSeconds: 0 } }, {}, '1 failed eight times.'],
  ['MissedDeliveries', '', { missed: 1 }, { missed: 0 }, '1 that no retry will bring is not made good yet.'],
  ['ServiceAway', '', away({}), away({ runs: 1 }), `${SINCE} fail with 503. Webhooks still arrive.`],
  ['Unproven', 'payouts', proven(901), proven(900), 'The last complete run of payouts ended 15 minutes ago.'],
  ['Unproven', 'payouts', proven(181, 40), proven(180, 40), 'The last complete run of payouts ended 3 minutes ago.'],
  [
    'NeverProven',
    'payouts',
    proven(null, 300, 3_601),
    proven(null, 300, 3_600),
    'No run of payouts has ever ended complete.',
  ],
  [
    'CriticalBreak',
    'duplicate_payment',
    open('duplicate_payment', 'critical'),
    open('duplicate_payment', 'medium'),
    `2 open of kind duplicate_payment, the oldest for 1 min. ${breakDefinitions.duplicate_payment.means}`,
  ],
  [
    'EndpointOff',
    'endpoint_inactive',
    open('endpoint_inactive', 'high', 901),
    {},
    `2 open of kind endpoint_inactive, the oldest for 15 min. ${breakDefinitions.endpoint_inactive.means}`,
  ],
  [
    'EndpointOff',
    'endpoint_unsubscribed',
    open('endpoint_unsubscribed', 'medium'),
    {},
    `2 open of kind endpoint_unsubscribed, the oldest for 1 min. ${breakDefinitions.endpoint_unsubscribed.means}`,
  ],
  [
    'HighBreak',
    'payout_stuck',
    open('payout_stuck', 'high', 901),
    open('payout_stuck', 'high', 900),
    `2 open of kind payout_stuck, the oldest for 15 min. ${breakDefinitions.payout_stuck.means}`,
  ],
  [
    'SealingLags',
    '',
    { seals: { oldestUnsealedSeconds: 1_801, unverifiedSeconds: 0, findings: null } },
    { seals: { oldestUnsealedSeconds: 1_800, unverifiedSeconds: 0, findings: null } },
    'The oldest row has waited for 30 minutes.',
  ],
  [
    'SealsUnverified',
    '',
    { seals: { oldestUnsealedSeconds: 0, unverifiedSeconds: 259_201, findings: null } },
    { seals: { oldestUnsealedSeconds: 0, unverifiedSeconds: 259_200, findings: 0 } },
    'All seals were not verified for 3 days.',
  ],
  [
    'SealsBroken',
    '',
    { seals: { oldestUnsealedSeconds: 0, unverifiedSeconds: 0, findings: 1 } },
    {},
    '1 finding when the seals were verified last.',
  ],
  ...['createPayout', 'createRefund', 'createTransfer'].map((operation): (typeof holding)[number] => [
    'LostCall',
    operation,
    { lostCalls: [{ operation, count: 1 }] },
    { lostCalls: [] },
    '1 without an answer, and no list shows what came of it. A refund holds its order.',
  ]),
  [
    'RefundUnlinked',
    '',
    { heldByRefund: 1 },
    { heldByRefund: 0 },
    '1 paid order held: nothing says which payment the refund is of.',
  ],
  [
    'SettingsDiffer',
    'A_SETTING',
    { settings: [{ setting: 'A_SETTING', values: 'on at worker; off at console' }] },
    { settings: [] },
    'A_SETTING: on at worker; off at console.',
  ],
  ['DeadCallbacks', '', { callbacks: { dead: 1, oldestSeconds: 0 } }, {}, '1 waits to be replayed.'],
  [
    'CallbacksWait',
    '',
    { callbacks: { dead: 0, oldestSeconds: 601 } },
    { callbacks: { dead: 0, oldestSeconds: 600 } },
    'The oldest has waited for 10 minutes.',
  ],
  [
    'AlertChannelFails',
    'slack',
    { channels: [{ channel: 'slack', failingSeconds: 301, error: 'answered 500' }] },
    { channels: [{ channel: 'slack', failingSeconds: 300, error: 'answered 500' }] },
    'slack has failed for 5 minutes: answered 500',
  ],
];

test.each(holding)('%s%s fires at its limit, alone, and not below it', (name, subject, above, below, detail) => {
  expect(findAlerts({ ...calm, ...above })).toMatchObject([{ name: `Tallyhook${name}`, subject, detail }]);
  expect(findAlerts({ ...calm, ...below })).toEqual([]);
});

/** Seconds that it holds before it is sent: nothing that mends itself in that time wakes anybody. */
test.each([
  [
    'critical',
    0,
    'NoSecretAccepted NothingArrives InvalidSignatures ServiceAway CriticalBreak EndpointOff LostCall DeadCallbacks SealsBroken',
  ],
  ['critical', 30, 'Down'],
  ['critical', 60, 'EventsWait DeadEvents Unproven'],
  ['critical', 120, 'MissedDeliveries SettingsDiffer'],
  ['warning', 0, 'CanaryFails NeverProven HighBreak AlertChannelFails'],
  ['warning', 30, 'QueueDown'],
  ['warning', 60, 'CallbacksWait SealingLags SealsUnverified'],
  ['warning', 300, 'NoWebhooks ExpiredTimestamps'],
  ['warning', 900, 'RefundUnlinked'],
])('%s, sent when it has held for %d s: %s', (severity, seconds, names) => {
  const such = conditions.filter((one) => one.severity === severity && (one.holdSeconds ?? 0) === seconds);
  expect(such.map(({ name }) => name).sort()).toEqual(
    names
      .split(' ')
      .map((name) => `Tallyhook${name}`)
      .sort(),
  );
});

test('what anybody may raise who imitates the headers of the service fires twice an hour at most', () => {
  const apart = conditions.filter(({ apartSeconds }) => apartSeconds !== undefined);
  expect(apart.map(({ name, apartSeconds }) => [name, apartSeconds])).toEqual([['TallyhookInvalidSignatures', 1_800]]);
});

test('every condition is tried above, and has its section in the runbook', () => {
  expect(new Set(holding.map(([name]) => `Tallyhook${name}`))).toEqual(new Set(conditions.map(({ name }) => name)));
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  const anchors = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  expect(conditions.map(({ runbook: anchor }) => anchor).filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});

test('every condition says what to do first', () => {
  expect(conditions.filter(({ remedy }) => remedy.length < 20)).toEqual([]);
});

test('an alert about breaks says what their kind asks for; of a secret that may have leaked, to rotate it', () => {
  for (const kind of breakKinds)
    expect(remedyOf({ name: 'TallyhookCriticalBreak', subject: kind })).toContain(breakDefinitions[kind].remedy);
  for (const subject of ['event_not_sent', 'history_differs', 'record_not_at_service'])
    expect(remedyOf({ name: 'TallyhookCriticalBreak', subject })).toMatch(/rotate/);
  const { remedy } = conditionNamed('TallyhookHighBreak') ?? {};
  expect(remedyOf({ name: 'TallyhookHighBreak', subject: 'payout_stuck' })).toBe(
    `${breakDefinitions.payout_stuck.remedy} ${remedy}`,
  );
  expect(remedyOf({ name: 'TallyhookHighBreak', subject: 'a kind of before' })).toBe(remedy);
  expect(remedyOf({ name: 'an alert of before', subject: '' })).toBe('');
  expect(remedyOf({ name: 'TallyhookDeadEvents', subject: 'payout_stuck' })).toBe(
    conditionNamed('TallyhookDeadEvents')?.remedy,
  );
});
