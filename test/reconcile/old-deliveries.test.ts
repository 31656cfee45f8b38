import { parse } from 'lossless-json';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json } from '../../src/domain/json.js';
import { createLog } from '../../src/log.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { applyRetention } from '../../src/records/retention/apply-retention.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';

const DAY_MS = 86_400_000;
const days = { body: 90, keys: 400, personal: 400 };

let flow: DeliveryFlow;
/** What the service shows, newest first. */
let shown: object[];
let now: number;

beforeEach(async () => {
  shown = [];
  now = Date.now();
  flow = await startDeliveryFlow({
    adoptedAt: new Date(now - 1_000 * DAY_MS),
    client: {
      serviceNow: () => now,
      reply: async () => ({
        data: parse(JSON.stringify({ items: shown, nextCursor: null })) as Json,
        from: now,
        to: now,
      }),
    },
  });
});
afterEach(() => flow.close());

function delivery(id: string, ageDays: number, status: number | null) {
  const at = new Date(now - ageDays * DAY_MS).toISOString();
  const timestamp = Math.floor((now - ageDays * DAY_MS) / 1_000);
  return {
    id,
    endpointId: 'we_1',
    endpointUrl: flow.url,
    eventType: 'payment_intent.completed',
    status: status === 200 ? 'succeeded' : 'failed',
    httpStatus: status,
    attempts: 1,
    createdAt: at,
    lastAttemptAt: at,
    nextRetryAt: null,
    payload: { event: 'payment_intent.completed', timestamp, data: { id: `pi_${id}`, status: 'completed' } },
  };
}

const classes = async () =>
  Object.fromEntries((await flow.db('deliveries').orderBy('id')).map((row) => [row.id, [row.class, row.missed]]));
const readAll = () => flow.run('deliveries', { full: true, since: new Date(now - 900 * DAY_MS) });
const openBreaks = async () =>
  (await listBreaks(flow.db, { status: 'open' })).items.map(({ kind, entity }) => `${kind} ${entity.id}`);

/** Everything that is in the inbox came when its delivery was made. */
async function ageInbox(): Promise<void> {
  await flow.db.raw(
    'UPDATE inbox SET received_at = to_timestamp(event_timestamp), last_arrival_at = to_timestamp(event_timestamp)',
  );
}

test('a delivery whose key went by its age is never missed, be it known or seen for the first time', async () => {
  shown = [delivery('recent', 10, 200), delivery('known', 450, 200), delivery('foreign', 460, 200)];
  await readAll();
  await flow.apply();
  await readAll();
  expect(await flow.db('inbox').where({ status: 'applied' })).toHaveLength(3);
  expect(await openBreaks()).toEqual([]);
  await ageInbox();
  await flow.db('deliveries').where({ id: 'foreign' }).delete();

  await applyRetention({ db: flow.db, log: createLog('silent'), now: () => new Date(now), days }, { pauseMs: 0 });
  expect(await flow.db('inbox')).toHaveLength(1);
  expect(Object.keys(await classes())).toEqual(['recent']);
  shown.push(delivery('unseen', 470, null));
  for (let i = 0; i < 2; i += 1) {
    const run = await readAll();
    expect(run).toMatchObject({ status: 'succeeded', complete: true, breaksOpened: 0 });
    expect(await classes()).toEqual({
      recent: ['phantom', false],
      known: ['too_old', false],
      foreign: ['too_old', false],
      unseen: ['too_old', false],
    });
  }
  expect(await openBreaks()).toEqual([]);
  expect(await flow.db('inbox')).toHaveLength(1);
});

test('what was missed while the keys were there stays missed, however old it grows', async () => {
  shown = [delivery('lost', 399, null), delivery('paired', 398, 200)];
  shown[0] = { ...shown[0], payload: null };
  await readAll();
  await flow.apply();
  await readAll();
  expect(await openBreaks()).toEqual(['missed_webhook lost']);
  await ageInbox();
  now += 20 * DAY_MS;
  await applyRetention({ db: flow.db, log: createLog('silent'), now: () => new Date(now), days }, { pauseMs: 0 });
  await readAll();
  expect(await openBreaks()).toEqual(['missed_webhook lost']);
  expect(await classes()).toMatchObject({ lost: ['never_reached', true] });
});
