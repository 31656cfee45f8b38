import { expect, test } from 'vitest';
import { alertChannels } from '../../src/notify/alert-channels.js';
import { checkAlerts, sendNotices } from '../../src/notify/alert-loop.js';
import { sealHead } from '../../src/records/audit/list-seals.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { closeMonth } from '../support/closed-month.js';
import { useDatabase } from '../support/database.js';
import { alertDeps } from './alert-deps.js';
import { SECRET, startStore } from './store.js';

const database = useDatabase();

test('of each closing the head of the seals is sent once to every channel', async () => {
  const { db } = database;
  const [slack, hook] = await Promise.all([startStore(), startStore()]);
  // Before the hour of the digest.
  const now = () => new Date('2026-03-01T03:00:00Z');
  const base = alertDeps(db, now);
  const settings = { slackUrl: slack.url, webhook: { url: hook.url, secret: SECRET } };
  const deps = { ...base, channels: alertChannels(settings, { ...base, now: () => new Date() }) };
  const checkAndSend = async () => {
    await checkAlerts(deps);
    await sendNotices(deps);
  };
  await closeMonth(db, '2026-03');
  await checkAndSend();
  expect(slack.arrivals).toEqual([]);
  await sealRows({ db, now: () => new Date() });
  await checkAndSend();
  await checkAndSend();
  const { number, hash } = (await sealHead(db)) ?? {};
  expect(slack.arrivals.map(({ body }) => JSON.parse(body))).toEqual([
    { text: expect.stringMatching(`^The month 2026-03 is closed\\n.*--head ${number}:${hash}$`) },
  ]);
  expect(JSON.parse(hook.arrivals[0]?.body ?? '')).toMatchObject({
    type: 'books.closed',
    data: { month: '2026-03', closing: 1, head: `${number}:${hash}` },
  });
  await Promise.all([slack.close(), hook.close()]);
});
