import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { conditionNamed, findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import { conditions } from '../../src/domain/alerts/conditions.js';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import { breakKinds } from '../../src/domain/break.js';
import { breakWords } from '../../src/domain/break-words.js';

const calm: AlertFacts = {
  webhooks: { halfHour: 3, before: 500 },
  invalidSignatures: { sinceMatch: 0, fiveMinutes: 0, share: 0 },
  expiredTimestamps: { halfHour: 0, share: 0 },
  backlog: { dead: 0, oldestSeconds: 4 },
  missed: 0,
  breaks: [],
  kinds: [{ kind: 'payouts', everySeconds: 300, provenSecondsAgo: 200 }],
  lostCalls: [{ operation: 'createInvoice', count: 1 }],
  heldByRefund: 0,
  callbacks: { dead: 0, oldestSeconds: 2 },
  seals: { oldestUnsealedSeconds: 200, unverifiedSeconds: 90_000, findings: 0 },
  channels: [],
  parts: [{ part: 'receiver', secondsAgo: 15 }],
  settings: [],
  ageSeconds: 90_000,
};
const open = (kind: string, severity: string, oldestSeconds = 60) =>
  ({ breaks: [{ kind, severity, count: 2, oldestSeconds }] }) as unknown as Partial<AlertFacts>;
const proven = (provenSecondsAgo: number | null, ageSeconds = 90_000): Partial<AlertFacts> => ({
  kinds: [{ kind: 'payouts', everySeconds: 300, provenSecondsAgo }],
  ageSeconds,
});

test('nothing fires while all is well, nor where nothing is measured yet', () => {
  expect(findAlerts(calm)).toEqual([]);
  expect(findAlerts({ ...calm, missed: null, kinds: [], ageSeconds: 0 })).toEqual([]);
});

const silent = (part: string, secondsAgo: number): Partial<AlertFacts> => ({ parts: [{ part, secondsAgo }] });

const holding: [string, string, Partial<AlertFacts>, Partial<AlertFacts>][] = [
  ['Down', 'receiver', silent('receiver', 121), silent('receiver', 120)],
  ['Down', 'worker', silent('worker', 121), silent('alerts', 121)],
  ['QueueDown', '', silent('queue', 61), silent('queue', 60)],
  ['NoWebhooks', '', { webhooks: { halfHour: 0, before: 121 } }, { webhooks: { halfHour: 0, before: 120 } }],
  [
    'InvalidSignatures',
    '',
    { invalidSignatures: { sinceMatch: 3, fiveMinutes: 3, share: 0.01 } },
    { invalidSignatures: { sinceMatch: 2, fiveMinutes: 2, share: 1 } },
  ],
  [
    'InvalidSignatures',
    '',
    { invalidSignatures: { sinceMatch: 0, fiveMinutes: 3, share: 0.21 } },
    { invalidSignatures: { sinceMatch: 0, fiveMinutes: 3, share: 0.2 } },
  ],
  [
    'InvalidSignatures',
    '',
    { invalidSignatures: { sinceMatch: 0, fiveMinutes: 60, share: 1 } },
    { invalidSignatures: { sinceMatch: 0, fiveMinutes: 2, share: 1 } },
  ],
  [
    'ExpiredTimestamps',
    '',
    { expiredTimestamps: { halfHour: 3, share: 1 } },
    { expiredTimestamps: { halfHour: 2, share: 1 } },
  ],
  [
    'ExpiredTimestamps',
    '',
    { expiredTimestamps: { halfHour: 400, share: 0.91 } },
    { expiredTimestamps: { halfHour: 400, share: 0.9 } },
  ],
  ['EventsWait', '', { backlog: { dead: 0, oldestSeconds: 121 } }, { backlog: { dead: 0, oldestSeconds: 120 } }],
  ['DeadEvents', '', { backlog: { dead: 1, oldestSeconds: 0 } }, {}],
  ['MissedDeliveries', '', { missed: 1 }, { missed: 0 }],
  ['Unproven', 'payouts', proven(901), proven(900)],
  ['NeverProven', 'payouts', proven(null), proven(null, 3_600)],
  ['CriticalBreak', 'duplicate_payment', open('duplicate_payment', 'critical'), open('duplicate_payment', 'medium')],
  ['EndpointOff', 'endpoint_inactive', open('endpoint_inactive', 'high'), {}],
  ['EndpointOff', 'endpoint_unsubscribed', open('endpoint_unsubscribed', 'medium'), {}],
  ['HighBreak', 'payout_stuck', open('payout_stuck', 'high', 901), open('payout_stuck', 'high', 900)],
  [
    'SealingLags',
    '',
    { seals: { oldestUnsealedSeconds: 1_801, unverifiedSeconds: 0, findings: null } },
    { seals: { oldestUnsealedSeconds: 1_800, unverifiedSeconds: 0, findings: null } },
  ],
  [
    'SealsUnverified',
    '',
    { seals: { oldestUnsealedSeconds: 0, unverifiedSeconds: 259_201, findings: null } },
    { seals: { oldestUnsealedSeconds: 0, unverifiedSeconds: 259_200, findings: 0 } },
  ],
  ['SealsBroken', '', { seals: { oldestUnsealedSeconds: 0, unverifiedSeconds: 0, findings: 1 } }, {}],
  ['LostCall', 'createRefund', { lostCalls: [{ operation: 'createRefund', count: 1 }] }, { lostCalls: [] }],
  ['RefundUnlinked', '', { heldByRefund: 1 }, { heldByRefund: 0 }],
  [
    'SettingsDiffer',
    'A_SETTING',
    { settings: [{ setting: 'A_SETTING', values: 'on at worker; off at console' }] },
    { settings: [] },
  ],
  ['DeadCallbacks', '', { callbacks: { dead: 1, oldestSeconds: 0 } }, {}],
  ['CallbacksWait', '', { callbacks: { dead: 0, oldestSeconds: 601 } }, { callbacks: { dead: 0, oldestSeconds: 600 } }],
  [
    'AlertChannelFails',
    'slack',
    { channels: [{ channel: 'slack', failingSeconds: 301, error: 'answered 500' }] },
    { channels: [{ channel: 'slack', failingSeconds: 300, error: 'answered 500' }] },
  ],
];

test.each(holding)('%s%s fires at its limit, alone, and not below it', (name, subject, above, below) => {
  expect(findAlerts({ ...calm, ...above }).map((alert) => [alert.name, alert.subject])).toEqual([
    [`Tallyhook${name}`, subject],
  ]);
  expect(findAlerts({ ...calm, ...below })).toEqual([]);
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
    expect(remedyOf({ name: 'TallyhookCriticalBreak', subject: kind })).toContain(breakWords[kind].remedy);
  for (const subject of ['event_not_sent', 'history_differs', 'record_not_at_service'])
    expect(remedyOf({ name: 'TallyhookCriticalBreak', subject })).toMatch(/rotate/);
  expect(remedyOf({ name: 'TallyhookDeadEvents', subject: '' })).toBe(conditionNamed('TallyhookDeadEvents')?.remedy);
});

test('where Prometheus has an alert of that name, it is as grave there', () => {
  const rules = readFileSync(new URL('../../deploy/prometheus/rules.yml', import.meta.url), 'utf8');
  for (const { name, severity, runbook } of conditions) {
    const rule = rules.split('- alert: ').find((part) => part.startsWith(`${name}\n`));
    if (rule === undefined) continue;
    expect([name, rule.includes(`severity: ${severity}`), rule.includes(`#${runbook}`)]).toEqual([name, true, true]);
  }
});
