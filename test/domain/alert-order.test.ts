import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder, stateOf } from '../../src/domain/state/state.js';
import { alerts, facts, NOW } from './random-facts.js';

test('alerts stand in the order of the problems, whatever order they come in, and loses none', () => {
  fc.assert(
    fc.property(facts, alerts, (given, open) => {
      const known = stateOf(given, open, NOW);
      const all = known.problems.flatMap((head) => [head, ...head.follows]);
      const ordered = inOrder(known, open);
      expect(new Set(ordered)).toEqual(new Set(open));
      const places = ordered.map((one) =>
        all.findIndex(({ name, subjects }) => name === one.name && subjects.includes(one.subject)),
      );
      const shown = places.filter((place) => place >= 0);
      expect(shown).toEqual(shown.toSorted((a, b) => a - b));
      expect(places.slice(0, shown.length)).toEqual(shown);
    }),
  );
});
