import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { statusLines } from '../../src/cli/status.js';
import { statusOf } from '../../src/console/status.js';
import { needsPerson, stateOf } from '../../src/domain/state/state.js';
import { mergeState } from '../../src/wiring/doctor/examine.js';
import { noFigures } from '../domain/calm-facts.js';
import { alerts, facts, NOW } from '../domain/random-facts.js';

it('no surface is calmer than the state, whatever the facts: status line, doctor and command say its worst', () => {
  fc.assert(
    fc.property(facts, alerts, (given, open) => {
      const state = stateOf(given, open, NOW);
      const known = { state, facts: given, alerts: [] };
      const { tone, items } = statusOf(known);
      const doctor = mergeState([], state, []);
      const [line = ''] = statusLines({ ...known, figures: noFigures });
      if (state.severity === null) {
        expect([tone, doctor]).toEqual(['good', []]);
        expect(line).toMatch(/^state {5}well: /);
        return;
      }
      const isBad = state.severity === 'critical' || state.severity === 'high';
      expect(tone).toBe(isBad ? 'bad' : 'warn');
      expect(items[0]?.tone).toBe(tone);
      expect(line).toContain(`${state.severity}: ${state.problems[0]?.title}`);
      expect(doctor.some(({ status }) => status === 'ok')).toBe(false);
      expect(doctor).toHaveLength(state.problems.length);
      expect(doctor.some(({ status }) => status === 'finding')).toBe(needsPerson(state));
    }),
  );
});
