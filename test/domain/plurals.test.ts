import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { statusLines } from '../../src/cli/status.js';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import { stateOf } from '../../src/domain/state/state.js';
import { noFigures } from './calm-facts.js';
import { alerts, facts, NOW } from './random-facts.js';

/** Nouns that end so, though there is one. */
const SINGULAR = 'is|was|has|does|this|less|its|waits|others?|address|as|status';
/** One, and what it is or does is said as of many; or many, as of one. */
const WRONG = [
  new RegExp(
    `(?<![\\d.,:–-])\\b1 (?!(?:${SINGULAR}|d|h|s|min)\\b)(?:[a-z-]+ )?(?!(?:${SINGULAR})\\b)[a-z]+(?<![su])s\\b`,
  ),
  /(?<![\d.,:–-])\b1 (?:[a-z-]+ ){0,2}(?:are|were|have|wait|do)\b/,
  /\b(?:[2-9]|[1-9]\d+) (?:(?!(?:d|h|s|min)\b)[a-z-]+ )?(?:break|delivery|request|event|decision|order|balance|minute|day|kind|alert|call)\b/,
];

it.each([
  ['1 alerts fire', '1 are tried again', '1 wait to be replayed', '1 open breaks', '2 open break', '3 decision'],
])('what is wrong would be seen: %s', (...said) => {
  for (const one of said)
    expect(
      WRONG.some((wrong) => wrong.test(one)),
      one,
    ).toBe(true);
});

it('what is counted is one or many, in whatever is said of the whole', () => {
  fc.assert(
    fc.property(facts, alerts, fc.nat(2), (given, open, n) => {
      const state = stateOf(given, open, NOW);
      const figures = { ...noFigures, received: n, rejected: n, ordersHeld: n };
      const said = [
        ...findAlerts(given).flatMap(({ summary, detail }) => [summary, detail]),
        ...state.problems.flatMap((one) => [one, ...one.follows]).flatMap(({ title, detail }) => [title, detail]),
        ...statusLines({ state, facts: given, alerts: [], figures }),
      ];
      for (const wrong of WRONG) expect(said.filter((one) => wrong.test(one))).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
