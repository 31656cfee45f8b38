import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import { refusesService } from '../../src/domain/alerts/rejected-facts.js';
import { breakKinds } from '../../src/domain/breaks/breaks.js';
import { type Severity, severities } from '../../src/domain/breaks/findings.js';
import { provenWords } from '../../src/domain/state/proven.js';
import {
  isOver,
  needsPerson,
  type OpenAlert,
  type Problem,
  type State,
  stateOf,
} from '../../src/domain/state/state.js';
import { calm, openBreak, provenKind } from './calm-facts.js';
import { alerts, facts, NOW } from './random-facts.js';

const state = (changed: Partial<AlertFacts>, open: OpenAlert[] = []) => stateOf({ ...calm, ...changed }, open, NOW);
const isSame = (one: Pick<OpenAlert, 'name' | 'subject'>, other: typeof one) =>
  one.name === other.name && one.subject === other.subject;
const rank = (severity: Severity | null) => (severity === null ? severities.length : severities.indexOf(severity));
const flat = ({ problems }: State): Problem[] => problems.flatMap((head) => [head, ...head.follows]);
describe('the state of the whole', () => {
  it('says in the past what is over and held for fear of a stolen secret', () => {
    const { problems } = state({ invalidSignatures: { sinceMatch: 0, fiveMinutes: 40, share: 1 } });
    expect(problems[0]?.title).toMatch(/^Webhooks were rejected/);
  });

  it('is never calmer than the worst alert that holds or fires, or the worst open break', () => {
    fc.assert(
      fc.property(facts, alerts, (given, open) => {
        const known = stateOf(given, open, NOW);
        const gone = (one: OpenAlert) => isOver(one, given, NOW) && !findAlerts(given).some((now) => isSame(now, one));
        const firing = open.filter((one) => one.isFiring && !gone(one));
        const fires = [...findAlerts(given), ...firing].map(({ severity }) =>
          severity === 'critical' ? ('critical' as const) : ('medium' as const),
        );
        const least = [...fires, ...given.breaks.map(({ severity }) => severity)].map(rank);
        expect(rank(known.severity)).toBeLessThanOrEqual(Math.min(severities.length, ...least));
        expect(known.severity).toBe(known.problems.find((one) => !one.isOver)?.severity ?? null);
        for (const { severity, follows } of known.problems)
          for (const one of follows) expect(rank(severity)).toBeLessThanOrEqual(rank(one.severity));
        const ranks = known.problems.map(({ severity, isOver: over }) => (over ? severities.length : rank(severity)));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      }),
    );
  });

  it('puts first what is gravest, then what keeps others from being done, what is to be done, what is worth most, the oldest', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const all = stateOf(given, [], NOW).problems;
        const kept = new Set(all.map(({ waitsFor }) => waitsFor));
        const problems = all.filter((head) => ![head, ...head.follows].some(({ title }) => kept.has(title)));
        for (const [n, { severity, remedy, worth, seconds }] of problems.entries()) {
          const next = problems[n + 1];
          if (next === undefined || next.severity !== severity) continue;
          expect([remedy === '', next.remedy === '']).not.toEqual([true, false]);
          if ((remedy === '') !== (next.remedy === '')) continue;
          expect(next.worth).toBeLessThanOrEqual(worth);
          if (next.worth === worth) expect(next.seconds ?? 0).toBeLessThanOrEqual(seconds ?? 0);
        }
      }),
    );
  });

  it('counts all there are: each break, missed delivery and rejected request once', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const all = flat(stateOf(given, [], NOW));
        const counted = (...names: string[]) =>
          all.reduce((sum, { name, count }) => sum + (names.includes(name) ? (count ?? 0) : 0), 0);
        // A critical break about an endpoint is two alerts.
        const isTwice = ({ kind, severity }: AlertFacts['breaks'][number]) =>
          severity === 'critical' && kind.startsWith('endpoint_');
        const expected = given.breaks.reduce((sum, one) => sum + one.count * (isTwice(one) ? 2 : 1), 0);
        const names = ['TallyhookCriticalBreak', 'TallyhookHighBreak', 'TallyhookEndpointOff', 'OpenBreak'];
        expect(counted(...names)).toBe(expected);
        expect(counted('TallyhookMissedDeliveries')).toBe(given.missed ?? 0);
        const isAlerted = refusesService(given.invalidSignatures);
        const rejected = given.rejected.map(({ reason, count, likeService }) =>
          isAlerted && reason === 'invalid_signature' ? likeService : count,
        );
        expect(counted('Rejected', 'TallyhookInvalidSignatures', 'TallyhookExpiredTimestamps')).toBe(
          rejected.reduce((sum, n) => sum + n, 0),
        );
      }),
    );
  });

  it('finds one alert of a name and subject where a kind of break is open in every severity', () => {
    const breaks = breakKinds.flatMap((kind) => severities.map((severity) => openBreak(kind, severity)));
    const keys = findAlerts({ ...calm, breaks }).map(({ name, subject }) => `${name} ${subject}`);
    expect(keys).toEqual([...new Set(keys)]);
    expect(keys).toContain('TallyhookEndpointOff endpoint_inactive');
  });

  it('says every alert that holds or fires, once, as a cause or under one', () => {
    fc.assert(
      fc.property(facts, alerts, (given, open) => {
        const named = flat(stateOf(given, open, NOW)).flatMap(({ name, subjects }) =>
          subjects.map((subject) => `${name} ${subject}`),
        );
        const fires = [...findAlerts(given), ...open.filter(({ isFiring }) => isFiring)];
        expect(named).toEqual(expect.arrayContaining(fires.map(({ name, subject }) => `${name} ${subject}`)));
        const ofAlerts = named.filter((one) => one.startsWith('Tallyhook'));
        expect(ofAlerts.toSorted()).toEqual(
          [...new Set(fires.map(({ name, subject }) => `${name} ${subject}`))].toSorted(),
        );
      }),
    );
  });

  it('of a calm installation is that nothing is wrong, and up to when that is proven', () => {
    expect(state({})).toMatchObject({ severity: null, problems: [] });
    expect(needsPerson(state({}))).toBe(false);
    expect(provenWords(calm)).toBe('All proven, the oldest at 2026-11-26 11:56 UTC');
  });
});

test('what nobody can do anything about is shown, and needs no person', () => {
  const degraded = state({ kinds: [provenKind('payouts', { reason: 'degraded: there is no list (404)' })] });
  expect(degraded).toMatchObject({ severity: 'low', problems: [{ remedy: '' }] });
  expect(needsPerson(degraded)).toBe(false);
  const noise = state({ rejected: [{ reason: 'missing_signature', count: 100, likeService: 0, oldestSeconds: 60 }] });
  expect(noise).toMatchObject({ severity: 'low', problems: [{ count: 100, remedy: '' }] });
  // What was rejected under a wrong secret, once the right one is there.
  const over = [{ reason: 'invalid_signature', count: 48, likeService: 48, oldestSeconds: 600 }];
  const signed = (sinceMatch: number, fiveMinutes: number) =>
    state({ rejected: over, invalidSignatures: { sinceMatch, fiveMinutes, share: 0.1 } });
  expect(signed(0, 0)).toMatchObject({ severity: 'low', problems: [{ count: 48, remedy: '' }] });
  expect([signed(1, 0).severity, signed(0, 1).severity]).toEqual(['medium', 'medium']);
  const genuine = state({ rejected: [{ reason: 'invalid_body', count: 100, likeService: 0, oldestSeconds: 60 }] });
  expect(needsPerson(genuine)).toBe(true);
});

test('what fires is shown until it is over, though the facts do not show it any more; what waits is not', () => {
  const summary = 'Events were given up';
  const about = { name: 'TallyhookDeadEvents', subject: '', severity: 'critical', detail: '2 failed.' } as const;
  const fires = { ...about, summary, since: new Date(NOW.getTime() - 600_000), seenAt: NOW };
  expect(state({}, [{ ...fires, isFiring: true }])).toMatchObject({
    severity: 'critical',
    problems: [{ title: summary, count: null, seconds: 600, page: '/events?status=dead', checks: ['dead events'] }],
  });
  expect(state({}, [{ ...fires, isFiring: false }])).toMatchObject({ severity: null, problems: [] });
  // It holds, so it is shown at once, and since when it was seen first.
  const holds = state({ backlog: { ...calm.backlog, dead: 3 } }, [{ ...fires, isFiring: false }]);
  expect(holds.problems).toMatchObject([{ title: summary, count: 3, seconds: 600 }]);
});

test('of many alike the first five are named, and how many more there are', () => {
  const assets = (n: number) => Array.from({ length: n }, (_, place) => `A${place + 1}`);
  const titleOf = (n: number) => {
    const unproven = assets(n).map((assetCode) => ({ assetCode, why: 'w', isUnexplained: false }));
    return state({ balances: { total: n, unproven } }).problems[0]?.title;
  };
  expect(titleOf(6)).toBe('A balance is not proven: A1, A2, A3, A4, A5, A6');
  expect(titleOf(13)).toBe('A balance is not proven: A1, A2, A3, A4, A5 and 8 more');
});
