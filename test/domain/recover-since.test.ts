import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { moment } from '../../src/cli/arguments.js';
import { findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import { recoverCommand, toRecover } from '../../src/domain/alerts/facts.js';
import { missedWords } from '../../src/domain/state/proven.js';
import { stateOf } from '../../src/domain/state/state.js';
import { calm, SENT } from './calm-facts.js';
import { facts, NOW } from './random-facts.js';

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
  const given = {
    class: 'phantom' as const,
    awaited: 200,
    missed: 125,
    recovered: 0,
    recoverable: 200,
    oldestSeconds: 2_370,
  };
  const [found] = findAlerts({ ...calm, missed: 125, awaited: [{ ...given, ...SENT }] });
  expect(found?.detail).toBe(
    '125 that no retry will bring are not made good yet. The first was sent at 2026-11-26 11:20 UTC, the newest at 2026-11-26 11:55 UTC. With those that are not overdue yet, 200 can be recovered now.',
  );
  const [less] = findAlerts({
    ...calm,
    missed: 125,
    awaited: [{ ...given, ...SENT, recovered: 100, recoverable: 15 }],
  });
  expect(less?.detail).toContain(
    '15 of 200, overdue or not, can be recovered now: 100 are recovered and not applied yet; of 85 the service shows no payload,',
  );
});

test('law: while something that is not here can be recovered, no line says that nothing is, nor that all is well', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const shown = [
        ...missedWords(given)
          .replace(/ as of .*/, '')
          .matchAll(/\d+/g),
      ].reduce((sum, [n]) => sum + Number(n), 0);
      const notHereYet = given.awaited.reduce((sum, { awaited }) => sum + awaited, 0);
      expect(shown).toBe(notHereYet);
      // What the service may just be sending is no matter of the state.
      const isSent = ({ class: kind, oldestSeconds }: (typeof given.awaited)[number]) =>
        kind === 'pending_retry' && oldestSeconds <= 180;
      const { count } = toRecover({ awaited: given.awaited.filter((one) => !isSent(one)) });
      if (count > 0) expect(stateOf(given, [], NOW).severity).not.toBeNull();
    }),
  );
});

test('law: what can be recovered is asked for with the command and the number, whether its cause lasts or not', () => {
  fc.assert(
    fc.property(facts, fc.boolean(), (wild, isOverdue) => {
      const young = { missed: 0, awaited: wild.awaited.map((one) => ({ ...one, missed: 0 })) };
      // What a service that is away still tries is recovered once it answers.
      const given = { ...wild, ...(isOverdue ? {} : young), outage: null, kinds: calm.kinds };
      const { count, from } = toRecover(given);
      const isLost = given.awaited.some(({ class: kind, recoverable }) => kind !== 'pending_retry' && recoverable > 0);
      if (!isLost || given.missed === null) return;
      const asked = stateOf(given, [], NOW).problems.map(({ remedy }) => remedy);
      expect(asked.join()).toContain(`“${recoverCommand(from)}” takes in ${count}.`);
    }),
  );
});

test('once what is sent arrives again, the remedy of what was swallowed is to recover it, and nothing else', () => {
  const phantom = {
    class: 'phantom' as const,
    awaited: 72,
    missed: 0,
    recovered: 0,
    recoverable: 72,
    oldestSeconds: 300,
    ...SENT,
  };
  const remedy = (count: number) =>
    stateOf({ ...calm, awaited: [phantom], swallowed: { count, seconds: 60, ...SENT } }, [], NOW).problems.map(
      (one) => one.remedy,
    );
  expect(remedy(0)).toEqual(['Recover them: “tallyhook deliveries recover --since 2026-11-26T11:20Z” takes in 72.']);
  expect(remedy(2)[0]).toMatch(/^Look at what else answers .* Recover them: “.*” takes in 72\.$/);
});
