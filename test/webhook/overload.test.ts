import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { useDatabase } from '../support/database.js';
import { startReceiver } from '../support/receiver.js';
import { eventBody } from '../support/signed.js';

const database = useDatabase();

/** The service's own patience with an answer is not known: who has to come back later hears so while he listens. */
const PROMPT_MS = 600;

test('while events come faster than the database takes them, they are sent away at once; and taken soon after', async () => {
  const receiver = await startReceiver(database.db);
  const blocker = await database.db.transaction();
  await blocker.raw('LOCK TABLE inbox IN EXCLUSIVE MODE');
  const answers: Promise<{ sentAt: number; tookMs: number; status: number; retryAfter: string | null }>[] = [];
  const start = performance.now();
  for (let i = 0; performance.now() - start < 3_600; i += 1) {
    const sentAt = performance.now() - start;
    answers.push(
      receiver.post(eventBody(`early_${i}`)).then(({ status, headers }) => {
        const tookMs = performance.now() - start - sentAt;
        return { sentAt, tookMs, status, retryAfter: headers.get('retry-after') };
      }),
    );
    await delay(50);
  }
  await blocker.commit();
  const late = (await Promise.all(answers)).filter(({ sentAt }) => sentAt > 2_800);
  expect(late.length).toBeGreaterThan(3);
  expect(late.filter(({ status, retryAfter }) => status !== 503 || retryAfter !== '5')).toEqual([]);
  expect(late.filter(({ tookMs }) => tookMs > PROMPT_MS)).toEqual([]);

  await vi.waitFor(async () => expect((await receiver.post(eventBody('after'))).status).toBe(200), { timeout: 2_000 });
  const accepted = (await Promise.all(answers)).filter(({ status }) => status === 200);
  expect(accepted.length).toBeGreaterThan(20);
  expect(Number((await database.db('inbox').count())[0]?.['count'])).toBe(accepted.length + 1);
  await receiver.close();
});
