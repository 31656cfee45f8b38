import type { AlertFacts, KindFacts, Outage } from '../../src/domain/alerts/facts.js';
import type { BreakKind } from '../../src/domain/breaks/breaks.js';
import type { Severity } from '../../src/domain/breaks/findings.js';
import type { Figures } from '../../src/records/alerts/load-state.js';

/** A kind that was proven a little while ago. */
export const provenKind = (kind: string, changed: Partial<KindFacts> = {}): KindFacts => ({
  kind,
  everySeconds: 300,
  provenSecondsAgo: 200,
  completeUntil: '2026-11-26T11:56:00.000Z',
  ageSeconds: 201,
  reason: null,
  ...changed,
});

export const openBreak = (kind: BreakKind, severity: Severity, count = 6): AlertFacts['breaks'][number] => ({
  kind,
  severity,
  count,
  oldestSeconds: 1_000,
  money: [],
  worth: 0,
});

/** Deliveries that can't be recovered, made nobody knows when. */
export const unsent = { recovered: 0, recoverable: 0, from: null, to: null };
/** When the first and the last were made. */
export const SENT = { from: '2026-11-26T11:20:30.000Z', to: '2026-11-26T11:55:00.000Z' };

/** An installation of which nothing is wrong. */
export const calm: AlertFacts = {
  webhooks: { halfHour: 3, before: 500, unproven: 0 },
  invalidSignatures: { sinceMatch: 0, fiveMinutes: 0, share: 0 },
  expiredTimestamps: { halfHour: 0, share: 0 },
  noSecretAccepted: false,
  secretsFrom: 'WEBHOOK_SECRETS',
  replacedEndpoints: [],
  rejected: [],
  canary: null,
  backlog: { waiting: 1, failed: 0, dead: 0, oldestSeconds: 4 },
  missed: 0,
  swallowed: { count: 0, seconds: 0, from: null, to: null },
  awaited: [],
  breaks: [],
  kinds: [provenKind('payouts')],
  outage: null,
  serviceBack: null,
  heldByOutage: 0,
  answeredSeconds: 12,
  balances: { total: 2, unproven: [] },
  newPayoutTypes: [],
  newPayouts: { count: 0, money: [] },
  lostCalls: [],
  openCalls: 0,
  heldByRefund: 0,
  decisions: { waiting: 0, oldestSeconds: 0 },
  callbacks: { dead: 0, oldestSeconds: 2 },
  seals: { oldestUnsealedSeconds: 200, unverifiedSeconds: 90_000, findings: 0 },
  channels: [],
  parts: [{ part: 'receiver', secondsAgo: 15 }],
  settings: [],
  ageSeconds: 90_000,
};

/** Where nothing came in. */
export const noFigures: Figures = {
  minutes: [],
  received: 0,
  rejected: 0,
  ordersHeld: 0,
  ordersReported: 0,
  reasons: [],
  unclosed: [],
};

/** The service has not answered since 14:02, and a webhook came after that. */
export const AWAY: Outage = {
  why: 'away',
  since: '2026-11-26T14:02:10.000Z',
  seconds: 200,
  runs: 2,
  attempts: 0,
  operations: 0,
  what: 'reads of endpoints, payouts',
  error: 'service_unavailable: listPayouts: the service failed, status 503',
  webhookAt: '2026-11-26T14:04:00.000Z',
};
