import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { statusLines } from '../../src/cli/status.js';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import type { AlertFacts, KindFacts } from '../../src/domain/alerts/facts.js';
import { balanceWords, isAllProven, missedWords, provenWords } from '../../src/domain/state/proven.js';
import { stateOf } from '../../src/domain/state/state.js';
import { AWAY, calm, noFigures, provenKind, unsent } from './calm-facts.js';
import { facts, NOW } from './random-facts.js';

const MOVED = 'BTC: it moved each time that it was read';
const FIRST = { completeUntil: null, ageSeconds: null, reason: MOVED };
const NEVER = { completeUntil: null, ageSeconds: null, provenSecondsAgo: null, reason: 'no run has ended yet' };
const balances = {
  total: 1,
  unproven: [{ assetCode: 'BTC', why: 'it moved each time that it was read', isUnexplained: false }],
};

test.each([
  ['service_unavailable: listPayouts: no connection (ENOTFOUND)', 'fail: DNS does not know its name (ENOTFOUND)'],
  ['service_unavailable: listPayouts: no connection (ECONNREFUSED)', 'fail: no connection (ECONNREFUSED)'],
  [
    'service_unavailable: listPayouts: no connection (CERT_HAS_EXPIRED)',
    'fail: its certificate is not accepted (CERT_HAS_EXPIRED)',
  ],
  ['service_unavailable: listPayouts: no whole answer within 20000 ms', 'get no answer within 20 s'],
  [
    'service_circuit_open: listPayouts: not sent, because the service failed several times in a row, last with listPayouts: the service failed, status 502',
    'fail with 502',
  ],
  ['service_unavailable: something else', 'fail'],
])('of a service that is away says how reads end: %s', (error, words) => {
  expect(findAlerts({ ...calm, outage: { ...AWAY, error } })).toMatchObject([
    {
      detail: `The payment service does not answer since 2026-11-26 14:02 UTC: reads of endpoints, payouts ${words}. Webhooks still arrive.`,
    },
  ]);
});

test('of a service that is away says whether webhooks have come since, and another outage is not it', () => {
  const said = (changed: Partial<typeof AWAY>) => findAlerts({ ...calm, outage: { ...AWAY, ...changed } });
  const none = { detail: expect.stringContaining('503. No webhook has arrived since then.') as string };
  expect(said({ webhookAt: '2026-11-26T14:02:09.000Z' })).toMatchObject([none]);
  expect(said({ webhookAt: null })).toMatchObject([none]);
  expect(said({ why: 'refused' })).toEqual([]);
});

test('how many are missed is said as of when the history was read, where that is not lately', () => {
  const said = (missed: number | null, changed: Partial<KindFacts>, phantom = 0) =>
    missedWords({
      ...calm,
      missed,
      awaited: [
        { class: 'phantom', awaited: phantom, missed: 0, oldestSeconds: 60, ...unsent },
        { class: 'rejected', awaited: missed ?? 2, missed: missed ?? 2, oldestSeconds: 60, ...unsent },
      ],
      kinds: [provenKind('deliveries', changed)],
    });
  const gone = 'the newest run failed: service_unavailable: listWebhookDeliveries: no answer';
  expect(said(3, {})).toBe('3 missed');
  expect(said(0, {}, 12)).toBe('0 missed; not overdue yet: 12 phantom');
  expect(said(0, { reason: gone })).toBe('0 missed as of 2026-11-26 11:56 UTC');
  expect(said(0, { ageSeconds: 90_000 })).toBe('0 missed as of 2026-11-26 11:56 UTC');
  expect(said(null, { completeUntil: null })).toBe('not known how many missed; not here: 2 rejected');
});

test('law: the state never claims that the service answers once it did not for a minute', () => {
  fc.assert(
    fc.property(facts, (given) => {
      fc.pre((given.answeredSeconds ?? 0) > 60);
      const known = stateOf(given, [], NOW);
      const names = known.problems.flatMap((one) => [one, ...one.follows]).map(({ name }) => name);
      expect(['TallyhookServiceAway', 'CallsFail', 'ServiceSilent'].some((name) => names.includes(name))).toBe(true);
      expect(known.severity).not.toBeNull();
      // Nor that what was proven then still is.
      const [, , polls = '', , money = ''] = statusLines({
        state: known,
        facts: given,
        alerts: [],
        figures: noFigures,
      });
      const isSaid =
        /Not known now: the service (answered last .* ago|does not answer since .* UTC)\. Until then: |\(the service does not answer\)/;
      for (const line of [polls, provenWords(given)]) expect(line).toMatch(isSaid);
      expect(money).not.toMatch(/(is|are) proven/);
    }),
  );
});

test('the service is one alert: none beside it for the kinds that cannot be read because of it', () => {
  const gone = 'the newest run failed: service_unavailable: listPayouts: the service failed, status 503';
  const kinds = [
    provenKind('payouts', { provenSecondsAgo: 9_000, reason: gone }),
    provenKind('invoices', { provenSecondsAgo: null, reason: gone }),
    provenKind('accounts', { provenSecondsAgo: 9_000, reason: 'the newest run failed: a rule is broken' }),
  ];
  const names = (outage: AlertFacts['outage']) =>
    findAlerts({ ...calm, kinds, outage }).map(({ name, subject }) => `${name} ${subject}`.trim());
  expect(names(AWAY)).toEqual(['TallyhookServiceAway', 'TallyhookUnproven accounts']);
  const each = ['TallyhookUnproven payouts', 'TallyhookUnproven accounts', 'TallyhookNeverProven invoices'];
  expect([names({ ...AWAY, runs: 1 }), names(null)]).toEqual([each, each]);
});

test('calls that fail are the service’s own once they are three: of several operations, without a connection, or for a minute', () => {
  const one = { ...AWAY, runs: 0, attempts: 3, operations: 1, seconds: 59, what: 'calls of listPayouts' };
  const unconnected = 'service_unavailable: listPayouts: no connection (ECONNREFUSED)';
  const found = (changed: Partial<typeof AWAY>) =>
    stateOf({ ...calm, outage: { ...one, ...changed } }, [], new Date()).problems.map(({ name, severity, detail }) => {
      expect(detail).toContain('2026-11-26 14:02 UTC');
      return [name, severity];
    });
  const [away, failing] = [[['TallyhookServiceAway', 'critical']], [['CallsFail', 'medium']]];
  for (const certain of [{ operations: 2 }, { error: unconnected }, { seconds: 60 }]) {
    expect(found(certain)).toEqual(away);
    expect(found({ ...certain, attempts: 2 })).toEqual(failing);
    expect(found({ ...certain, attempts: 1 })).toEqual([]);
  }
  expect(found({})).toEqual(failing);
  expect(found({ attempts: 0, runs: 1 })).toEqual([]);
});

test('of what is not proven says first which kind that is, and why; then up to when the others are', () => {
  const failed = (error: string) => ({ reason: `the newest run failed: ${error}` });
  const wordsOf = (...kinds: KindFacts[]) => provenWords({ ...calm, kinds });
  const words = wordsOf(
    provenKind('payouts'),
    provenKind('invoices', failed('service_unavailable: listInvoices: the service failed, status 503')),
    provenKind('endpoints', failed('service_circuit_open: listWebhookEndpoints: not sent')),
    provenKind('catalog', { everySeconds: null, ageSeconds: 90_000 }),
  );
  expect(words).toBe(
    'Not proven: invoices, endpoints (the service does not answer); catalog (its runs are switched off). 1 other kind is proven at 2026-11-26 11:56 UTC',
  );
  const fresh = provenKind('payouts', { completeUntil: null, reason: 'no run has ended yet' });
  expect(wordsOf(fresh)).toBe('Not proven: payouts (no run has ended yet)');
  expect(wordsOf()).toBe('Nothing is proven yet');
});

test.each<[string, Partial<AlertFacts>]>([
  [
    'moved each time that it was read',
    { kinds: [provenKind('balances', { ageSeconds: 899, reason: MOVED })], balances },
  ],
  ['moved, and was never proven', { kinds: [provenKind('balances', FIRST)], balances, ageSeconds: 600 }],
  ['was not read yet', { kinds: [provenKind('payouts', NEVER)], missed: null, ageSeconds: 599 }],
])('what %s is read again by itself: it asks nobody for anything, and is not called proven', (_what, changed) => {
  const given = { ...calm, ...changed };
  expect(stateOf(given, [], new Date()).problems).toEqual([]);
  expect(provenWords(given)).toContain('Not proven: ');
  expect(isAllProven(given.kinds)).toBe(false);
  const later = {
    ...given,
    ageSeconds: 4_000,
    kinds: given.kinds.map((of) => ({ ...of, ageSeconds: of.ageSeconds && 4_000 })),
  };
  expect(stateOf(later, [], new Date()).problems[0]?.title).toMatch(/not proven: |never proven: /);
});

test('the line says of balances what it says of their kind: none is called proven while that is not, nor all while one is not', () => {
  const said = new Set<string>();
  fc.assert(
    fc.property(facts, (given) => {
      const [ofKinds, ofBalances] = [provenWords(given), balanceWords(given)];
      const isKindUnproven = /Not proven: [^.]*\bbalances\b/.test(ofKinds);
      said.add(`${isKindUnproven} ${ofBalances.replace(/\d+/g, 'n')}`);
      expect(isKindUnproven && /(is|are) proven/.test(ofBalances)).toBe(false);
      if (ofKinds.startsWith('All')) expect([isAllProven(given.kinds), given.balances.unproven]).toEqual([true, []]);
    }),
    { numRuns: 400 },
  );
  expect([...said]).toEqual(
    expect.arrayContaining([
      'true n of n balances agreed when they were read last',
      'false n of n balances are proven',
    ]),
  );
});
