import { expect, it } from 'vitest';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import { needsPerson, type OpenAlert, stateOf } from '../../src/domain/state/state.js';
import { calm, unsent } from './calm-facts.js';
import { NOW } from './random-facts.js';

const state = (changed: Partial<AlertFacts>, open: OpenAlert[]) => stateOf({ ...calm, ...changed }, open, NOW);

it('an alert that is over, and has not ended yet, says so and asks nobody for anything', () => {
  const alert = (unseenSeconds: number): OpenAlert => ({
    name: 'TallyhookDown',
    subject: 'receiver',
    severity: 'critical',
    summary: 'A part of Tallyhook is not at work',
    detail: 'No receiver.',
    since: new Date(NOW.getTime() - 600_000),
    seenAt: new Date(NOW.getTime() - unseenSeconds * 1_000),
    isFiring: true,
  });
  const parts = [{ part: 'alerts', secondsAgo: 10 }];
  const titles = (unseen: number, secondsAgo = 10) =>
    state({ parts: [{ part: 'alerts', secondsAgo }] }, [alert(unseen)]).problems.map(({ title }) => title);
  expect(titles(30)).toEqual(['A part of Tallyhook is not at work: receiver']);
  expect(titles(60)).toEqual(['Not any more: A part of Tallyhook is not at work: receiver']);
  // Seen last as what was so.
  const past = { ...alert(60), summary: 'A part was not at work, and is again' };
  expect(state({ parts }, [past]).problems[0]?.title).toBe(
    'Not any more: A part of Tallyhook is not at work: receiver',
  );
  // Nobody checks: it may well be so still.
  expect(titles(600, 500)).toContain('A part of Tallyhook is not at work: receiver');
  const over = state({ parts, missed: 1 }, [alert(60)]);
  expect([over.severity, over.problems.map(({ name, isOver }) => [name, isOver])]).toEqual([
    'critical',
    [
      ['TallyhookMissedDeliveries', false],
      ['TallyhookDown', true],
    ],
  ]);
  const alone = state({ parts }, [alert(60)]);
  expect([needsPerson(alone), alone.severity, alone.problems[0]?.severity]).toEqual([false, null, 'low']);
  // What is there still has another cause by now.
  const missed = {
    missed: 4,
    awaited: [{ class: 'never_reached' as const, awaited: 4, missed: 4, oldestSeconds: 60, ...unsent }],
  };
  expect(state({ parts, ...missed }, [alert(60)]).problems.map(({ name }) => name)).toEqual([
    'TallyhookMissedDeliveries',
    'TallyhookDown',
  ]);
});
