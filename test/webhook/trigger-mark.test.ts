import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { getEvent, listEvents } from '../../src/records/inbox/events.js';
import { applyEvents } from '../../src/webhook/apply-events.js';
import { observeEvent } from '../../src/webhook/observe-event.js';
import { useReceiver } from '../support/receiver.js';
import { runCli } from '../support/run-cli.js';
import { eventBody, NOW } from '../support/signed.js';

const { database, receiver } = useReceiver();

const intent = (id: string, more: object = {}) => ({
  data: { id, status: 'completed', merchantReference: `order-${id}`, payins: [{ id: `${id}-in` }] },
  ...more,
});

async function take(body: string): Promise<string> {
  const { status, body: answer } = await receiver.post(body);
  expect(status).toBe(200);
  return String(answer['id']);
}

async function apply(): Promise<void> {
  const { db } = database;
  const ids: string[] = await db('inbox').whereIn('status', ['received', 'failed']).pluck('id');
  const deps = { db, log: createLog('silent'), now: () => new Date(NOW * 1_000), adoptedAt: new Date(0) };
  await applyEvents({ ...deps, metrics: createMetrics() }, ids);
}

const counts = async () => {
  const tables = ['payment_intents', 'payins', 'orders', 'breaks', 'changes', 'reading_marks'];
  const { db } = database;
  return Promise.all(tables.map(async (table) => Number((await db(table).count('* as n').first())?.n)));
};

test('an event with the mark of trigger is kept and shown with it, and nothing follows, whoever sent it', async () => {
  const before = await counts();
  const id = await take(eventBody('pi_1', { tallyhook: 'trigger', ...intent('pi_1') }));
  await take(eventBody('pi_2', { tallyhook: 'trigger', event: 'payout.failed', data: { amount: 12 } }));
  await apply();
  expect(await counts()).toEqual(before);
  expect(await getEvent(database.db, id)).toMatchObject({ mark: 'trigger', status: 'applied', error: null });
  expect((await listEvents(database.db, {})).items.map(({ mark }) => mark)).toEqual(['trigger', 'trigger']);
});

test('another value there, or another place, is no mark', async () => {
  await take(eventBody('pi_1', intent('pi_1', { tallyhook: 'other' })));
  await take(eventBody('pi_2', { data: { ...intent('pi_2').data, tallyhook: 'trigger' } }));
  await apply();
  expect(await database.db('payment_intents').orderBy('id').pluck('id')).toEqual(['pi_1', 'pi_2']);
  expect((await listEvents(database.db, {})).items.map(({ mark }) => mark)).toEqual([null, null]);
});

test('one that has the id of a real event is no collision, whichever came first', async () => {
  await take(eventBody('pi_1', { id: 'evt_1', ...intent('pi_1', { tallyhook: 'trigger' }) }));
  await take(eventBody('pi_2', { id: 'evt_1', ...intent('pi_2') }));
  await take(eventBody('pi_3', { id: 'evt_2', ...intent('pi_3') }));
  await take(eventBody('pi_4', { id: 'evt_2', ...intent('pi_4', { tallyhook: 'trigger' }) }));
  await apply();
  expect(await database.db('breaks').where({ kind: 'id_collision' })).toEqual([]);
  expect(await database.db('payment_intents').orderBy('id').pluck('id')).toEqual(['pi_2', 'pi_3']);
});

test('one that comes too late has nothing read from the service', () => {
  const event = { id: 'expired', type: 'payment_intent.completed', timestamp: NOW, source: 'webhook' } as const;
  expect(observeEvent({ ...event, data: { id: 'pi_1' }, mark: 'trigger' }).observations).toEqual([]);
  expect(observeEvent({ ...event, data: { id: 'pi_1' }, mark: null }).observations).toHaveLength(1);
});

test('tallyhook trigger signs the mark', async () => {
  const env = { WEBHOOK_SECRETS: 'live=whsec_abcdefgh' };
  const { stdout } = await runCli(['trigger', 'payout.failed', '--dry-run'], { cwd: tmpdir(), env });
  expect(JSON.parse(JSON.parse(stdout).body)).toMatchObject({ tallyhook: 'trigger', event: 'payout.failed' });
});
