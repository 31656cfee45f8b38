import { expect, test } from 'vitest';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import { stateOf } from '../../src/domain/state/state.js';
import { calm, SENT } from './calm-facts.js';
import { NOW } from './random-facts.js';

const replaced = { label: 'live', endpointId: 'we_1', id: 'we_2', createdAt: '2026-11-26T18:06:14.000Z' };
const rejected: Partial<AlertFacts> = {
  invalidSignatures: { sinceMatch: 12, fiveMinutes: 12, share: 1 },
  rejected: [{ reason: 'invalid_signature', count: 100, likeService: 100, oldestSeconds: 60 }],
};
const over: Partial<AlertFacts> = { ...rejected, invalidSignatures: { sinceMatch: 0, fiveMinutes: 12, share: 0.5 } };
const waiting: Partial<AlertFacts> = {
  awaited: [
    { class: 'pending_retry', awaited: 9, missed: 0, recovered: 0, recoverable: 9, oldestSeconds: 240, ...SENT },
  ],
};
const problems = (changed: Partial<AlertFacts>) => stateOf({ ...calm, ...changed }, [], NOW).problems;

test('what an alert counts is not said again as what comes with it', () => {
  const clocks = {
    expiredTimestamps: { halfHour: 9, share: 1 },
    rejected: [{ reason: 'expired_timestamp', count: 9, likeService: 0, oldestSeconds: 60 }],
  };
  for (const changed of [rejected, over, clocks])
    expect(problems(changed)).toMatchObject([{ name: expect.stringMatching(/^Tallyhook/) as string, follows: [] }]);
});

test('a secret whose endpoint was made again is not well, before and while its webhooks are rejected', () => {
  const checks = (changed: Partial<AlertFacts>) =>
    problems({ ...changed, replacedEndpoints: [replaced] }).map((one) => one.checks);
  expect(checks({})).toEqual([['secrets', 'secret live']]);
  expect(checks(rejected)).toEqual([['rejections', 'secrets', 'secret live']]);
  expect(problems(rejected).map((one) => one.checks)).toEqual([['rejections']]);
});

test('once one was right, the alert and the problem say so alike, and ask to recover what is not here, if anything', () => {
  const title = 'Webhooks were rejected for their signature, none since one was right';
  const [problem] = problems({ ...over, ...waiting });
  expect(problem).toMatchObject({
    title,
    remedy: 'Recover what was rejected: “tallyhook deliveries recover --since 2026-11-26T11:20Z” takes in 9.',
    follows: [{ title: '9 deliveries not here: attempts failed, the service tries again' }],
  });
  expect(findAlerts({ ...calm, ...over })).toMatchObject([{ summary: title, remedy: '' }]);
  expect(findAlerts({ ...calm, ...over, missed: null })).toMatchObject([
    { remedy: 'Recover what was rejected: “tallyhook deliveries recover --since 2h”.' },
  ]);
});
