import fc from 'fast-check';
import { expect, test } from 'vitest';
import { conditions, findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import { leftToDo, pastSummary, remainingAlerts } from '../../src/domain/alerts/over-words.js';
import { stateOf } from '../../src/domain/state/state.js';
import { keepChannels } from '../../src/records/alerts/alert-channels.js';
import { openAlerts, settleAlerts } from '../../src/records/alerts/settle-alerts.js';
import { calm, SENT } from '../domain/calm-facts.js';
import { facts, NOW } from '../domain/random-facts.js';
import { resettableDatabase } from '../support/resettable-database.js';

const database = resettableDatabase();
const reset = async () => {
  await database.reset();
  await keepChannels(database.db, ['slack']);
};
const settle = (given: AlertFacts, seconds: number) =>
  database.db.transaction((trx) =>
    settleAlerts(trx, findAlerts(given), {
      now: new Date(NOW.getTime() + seconds * 1_000),
      channels: ['slack'],
      remaining: remainingAlerts(given),
      left: (name) => leftToDo(name, given),
    }),
  );
interface Message {
  name: string;
  summary: string;
  detail: string;
  remedy: string;
}
const messages = async (): Promise<Message[]> =>
  database.db('alert_notices').whereLike('key', 'resolved %').orderBy('id').pluck('message');

test('what each alert was is said in words of its own, and in the past', () => {
  for (const { name, summary } of conditions) {
    expect(pastSummary(name)).not.toContain(name);
    expect(pastSummary(name)).not.toBe(summary);
  }
});

test('law: the message that an alert is over says from when to when it was so, and no remedy of one that fires', async () => {
  await fc.assert(
    fc.asyncProperty(facts, async (given) => {
      await reset();
      await settle(given, 0);
      const { firing } = await settle(given, 1_000);
      await settle(calm, 1_200);
      const over = await messages();
      expect(over.map(({ name }) => name)).toEqual(firing.map(({ name }) => name));
      for (const [n, { name, summary, detail, remedy }] of over.entries()) {
        expect(summary).toBe(pastSummary(name));
        expect(detail).toMatch(
          /^It was so from \d{4}-\d\d-\d\d \d\d:\d\d to 2026-11-26 12:16 UTC, for \d+ (s|min|h|d)\.$/,
        );
        expect(remedy).toBe('Nothing is to be done.');
        expect([remedyOf(firing[n]!), firing[n]!.detail]).not.toContain(remedy);
      }
    }),
    { numRuns: 25 },
  );
});

test('an alert about what was swallowed does not end before that is here; one whose cause is over says what is left', async () => {
  await reset();
  const of = { class: 'phantom' as const, missed: 0, oldestSeconds: 300, ...SENT };
  const swallowing = (n: number): AlertFacts => ({
    ...calm,
    swallowed: { count: n, seconds: 60, ...SENT },
    awaited: [{ ...of, awaited: n, recovered: 0, recoverable: n }],
  });
  const over = (n: number): AlertFacts => ({ ...calm, awaited: [{ ...of, awaited: n, recovered: 0, recoverable: n }] });
  // What was swallowed before anything fired is no alert: it may be chance.
  expect((await settle(over(2), 0)).firing).toEqual([]);
  expect((await settle(swallowing(21), 10)).fired).toHaveLength(1);
  for (const [n, at] of [
    [54, 40],
    [50, 900],
  ] as const) {
    expect((await settle(over(n), at)).resolved).toEqual([]);
    const [row] = await openAlerts(database.db);
    expect([row?.summary, row?.detail, row?.remedy]).toEqual([
      'Something else answered the service in our place',
      `It is over, as far as the delivery history was read; ${n} deliveries are still to be recovered.`,
      `Recover what is not here: “tallyhook deliveries recover --since 2026-11-26T11:20Z” takes in ${n}.`,
    ]);
    const open = { ...row!, seenAt: row!.seen_at, isFiring: true };
    const { severity, problems } = stateOf(over(n), [open], NOW);
    expect([severity, problems.map(({ title, count, isOver }) => [title, count, isOver])]).toEqual([
      'critical',
      [['Something else answered the service in our place', n, false]],
    ]);
  }
  await settle(calm, 1_000);
  const { resolved } = await settle(calm, 1_100);
  expect(resolved).toHaveLength(1);

  // What was rejected does not hold its alert up: the message says what is left.
  const rejected = [{ ...of, class: 'rejected' as const, awaited: 9, recovered: 0, recoverable: 9 }];
  const forged = { sinceMatch: 12, fiveMinutes: 12, share: 1 };
  await settle({ ...calm, invalidSignatures: forged, awaited: rejected }, 2_000);
  await settle({ ...calm, awaited: rejected }, 2_200);
  expect((await messages()).map(({ summary, remedy }) => [summary, remedy])).toEqual([
    ['Something else answered the service in our place', 'Nothing is to be done.'],
    [
      'Webhooks were rejected for their signature',
      'Recover what is not here: “tallyhook deliveries recover --since 2026-11-26T11:20Z” takes in 9.',
    ],
  ]);
});
