import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { statusLines } from '../../src/cli/status.js';
import { statusOf } from '../../src/console/status.js';
import { replacedWords } from '../../src/domain/deliveries/replaced-endpoint.js';
import { needsPerson, stateOf } from '../../src/domain/state/state.js';
import { ok } from '../../src/wiring/doctor/check.js';
import { mergeState } from '../../src/wiring/doctor/examine.js';
import { calm, noFigures } from '../domain/calm-facts.js';
import { alerts, facts, NOW } from '../domain/random-facts.js';

it('no surface is calmer than the state, whatever the facts: status line, doctor and command say its worst', () => {
  fc.assert(
    fc.property(facts, alerts, (given, open) => {
      const state = stateOf(given, open, NOW);
      const known = { state, facts: given, alerts: [] };
      const { tone, items } = statusOf(known);
      const doctor = mergeState([], state, []);
      const [line = ''] = statusLines({ ...known, figures: noFigures });
      // What is over is well to the doctor, and nothing else.
      const over = state.problems.filter(({ isOver }) => isOver);
      expect(doctor.filter(({ status }) => status === 'ok')).toHaveLength(over.length);
      if (state.severity === null) {
        expect([tone, doctor.length]).toEqual(['good', over.length]);
        expect(line).toMatch(/^state {5}well: /);
        return;
      }
      const isBad = state.severity === 'critical' || state.severity === 'high';
      expect(tone).toBe(isBad ? 'bad' : 'warn');
      expect(items[0]?.tone).toBe(tone);
      expect(line).toContain(`${state.severity}: ${state.problems[0]?.title}`);
      expect(doctor).toHaveLength(state.problems.length);
      expect(doctor.some(({ status }) => status === 'finding')).toBe(needsPerson(state));
    }),
  );
});

it('a secret that came to be wrong by what the state knows is not well, whatever was probed of it', () => {
  const replaced = { label: 'live', endpointId: 'we_1', id: 'we_2', createdAt: null };
  const rejects = { invalidSignatures: { sinceMatch: 12, fiveMinutes: 12, share: 1 } };
  const probed = [ok('secret live', 'last match just now'), ok('secret next', 'last match just now')];
  for (const more of [{}, rejects]) {
    const known = stateOf({ ...calm, ...more, replacedEndpoints: [replaced] }, [], NOW);
    const doctor = mergeState(probed, known, [ok('secrets', 'nothing is wrong')]);
    expect(doctor.filter(({ status }) => status === 'ok').map(({ name }) => name)).toEqual(['secret next']);
    const [finding] = doctor.filter(({ status }) => status === 'finding');
    expect(finding).toMatchObject({ name: expect.stringContaining('secrets, secret live') as string });
    expect(finding?.found).toContain(replacedWords(replaced));
  }
});
