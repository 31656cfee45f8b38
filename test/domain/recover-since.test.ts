import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { moment } from '../../src/cli/arguments.js';
import { findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import { toRecover } from '../../src/domain/alerts/facts.js';
import { calm, SENT } from './calm-facts.js';
import { facts } from './random-facts.js';

test('whatever asks to recover names a time from which all is recovered that can be, and no minute more', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { from } = toRecover(given);
      for (const alert of findAlerts(given)) {
        const since = /deliveries recover --since ([^”]+)”/.exec(remedyOf(alert))?.[1];
        if (since === undefined) continue;
        if (from === null) expect(since).toBe('2h');
        else expect(moment(since).getTime()).toBe(Math.floor(Date.parse(from) / 60_000) * 60_000);
      }
    }),
  );
});

test('an alert about missed deliveries says since when, and how many more can be recovered now', () => {
  const given = { class: 'phantom' as const, awaited: 200, missed: 125, recoverable: 200, oldestSeconds: 2_370 };
  const [found] = findAlerts({ ...calm, missed: 125, awaited: [{ ...given, ...SENT }] });
  expect(found?.detail).toBe(
    '125 that no retry will bring are not made good yet. The first was sent at 2026-11-26 11:20 UTC, the newest at 2026-11-26 11:55 UTC. With those that are not overdue yet, 200 can be recovered now.',
  );
  const [less] = findAlerts({ ...calm, missed: 125, awaited: [{ ...given, ...SENT, recoverable: 15 }] });
  expect(less?.detail).toContain('15 of them can be recovered now: the others are here and not applied yet,');
});
