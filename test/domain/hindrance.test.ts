import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { statusLines } from '../../src/cli/status.js';
import { statusOf } from '../../src/console/status.js';
import { findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import type { AlertFacts, Outage } from '../../src/domain/alerts/facts.js';
import { leftToDo } from '../../src/domain/alerts/over-words.js';
import { inOrder, type Problem, stateOf } from '../../src/domain/state/state.js';
import { mergeState } from '../../src/wiring/doctor/examine.js';
import { AWAY, calm, noFigures, SENT } from './calm-facts.js';
import { alerts, facts, NOW } from './random-facts.js';

const REFUSED: Outage = { ...AWAY, why: 'refused', error: 'service_unauthorized: listPayouts: status 401' };
const hindrances = [
  [AWAY, 'The service does not answer', 'once the service answers again, '],
  [REFUSED, 'The service refuses our key', 'once the service accepts our key, '],
  [null, null, ''],
] as const;

/** What stands before each command that asks the service. */
const before = (remedy: string): string[] =>
  [...remedy.matchAll(/([^“]{0,40})“tallyhook (?:deliveries recover|reconcile)/g)].map(([, words = '']) => words);
const named = ({ title, follows }: Problem): string[] => [title, ...follows.map((one) => one.title)];

it('law: what keeps a remedy from working stands before what waits for it, wherever both are read, and nothing is offered before it is over', () => {
  fc.assert(
    fc.property(facts, alerts, fc.constantFrom(...hindrances), (wild, open, [outage, title, until]) => {
      const given = { ...wild, outage };
      const state = stateOf(given, open, NOW);
      const { problems } = state;
      const asking = problems.filter(({ remedy }) => before(remedy).length > 0);
      const remedies = [...problems.map(({ remedy }) => remedy), ...findAlerts(given).map(remedyOf)];
      remedies.push(leftToDo('TallyhookDown', given));
      for (const words of remedies.flatMap(before)) expect(words.endsWith(until)).toBe(true);
      const all = problems.flatMap((one) => [one, ...one.follows]);
      if (title === null) {
        expect(all.flatMap(({ waitsFor }) => waitsFor ?? [])).toEqual([]);
        expect(remedies.join()).not.toContain('once the service');
        return;
      }
      expect(all.map(({ detail }) => detail).join()).not.toContain('recovered now');
      const place = problems.findIndex((one) => named(one).includes(title));
      const waiting = asking.filter((one) => !named(one).includes(title));
      for (const one of waiting) expect([one.waitsFor, problems.indexOf(one) > place]).toEqual([title, true]);
      const first = waiting[0]?.title;
      const keeper = problems[place]?.title ?? '';
      if (first === undefined) return;
      const line = statusOf({ state, facts: given }).items.map(({ text }) => text);
      const doctor = mergeState([], state, []).map(({ found }) => found);
      const lines = [line, doctor, statusLines({ state, facts: given, alerts: [], figures: noFigures })];
      for (const shown of lines) {
        const [own, others] = [keeper, first].map((words) => shown.findIndex((text) => text.includes(words)));
        expect([shown, own !== -1 && (others === -1 || (own ?? 0) <= (others ?? 0))]).toEqual([shown, true]);
      }
      const names = inOrder(state, findAlerts(given)).map(({ name }) => name);
      if (outage === AWAY && names.includes('TallyhookMissedDeliveries') && keeper === title)
        expect(names.indexOf('TallyhookServiceAway')).toBeLessThan(names.indexOf('TallyhookMissedDeliveries'));
    }),
  );
});

const PHANTOM = {
  class: 'phantom',
  awaited: 27,
  missed: 20,
  recoverable: 27,
  recovered: 0,
  oldestSeconds: 9_000,
  ...SENT,
} as const;
const MISSED: Partial<AlertFacts> = { missed: 20, awaited: [PHANTOM] };
const firstTwo = (changed: Partial<AlertFacts>) => stateOf({ ...calm, ...MISSED, ...changed }, [], NOW).problems;

it('what could be recovered waits for a service that is away, and says so', () => {
  const worth = {
    kind: 'duplicate_payment',
    severity: 'critical',
    count: 2,
    oldestSeconds: 90_000,
    worth: 500,
  } as const;
  const [first, ...more] = firstTwo({ outage: AWAY, breaks: [{ ...worth, money: [] }] });
  expect(first).toMatchObject({ title: 'The service does not answer', waitsFor: null });
  const missed = more.find(({ name }) => name === 'TallyhookMissedDeliveries');
  expect(missed).toMatchObject({ waitsFor: 'The service does not answer' });
  expect(missed?.detail).toContain('27 can be recovered once the service answers again.');
  expect(missed?.remedy).toMatch(/: once the service answers again, “tallyhook deliveries recover .*” takes in 27\.$/);
});

it('where nothing can be recovered, nobody is asked to', () => {
  const [first] = firstTwo({ awaited: [{ ...PHANTOM, recoverable: 0, recovered: 20 }] });
  expect(first?.detail).toContain(
    'None of them can be recovered: 20 are recovered and not applied yet; of 7 the service shows no payload,',
  );
  expect(first?.remedy).toBe('Take the cause away that the page Missed deliveries names. Nothing is to be recovered.');
});
