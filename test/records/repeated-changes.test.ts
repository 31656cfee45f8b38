import { expect, test } from 'vitest';
import { repeatedChanges } from '../support/reckoning.js';
import { resettableDatabase } from '../support/resettable-database.js';

const database = resettableDatabase();

type Step = [string | null, string, 'webhook' | 'poll', number];

/** Each step: where from, where to, by what, and the second of the service's clock. */
const repeats = (...steps: Step[]) => repeatsOf('payment_intent', steps);

async function repeatsOf(kind: 'payment_intent' | 'order', steps: Step[]): Promise<string[]> {
  for (const [from, to, by, second] of steps) {
    await database.db('changes').insert({
      entity_kind: kind,
      entity_id: 'pi_1',
      field: 'status',
      from_value: from === null ? null : JSON.stringify(from),
      to_value: JSON.stringify(to),
      source_type: by,
      source_ref: '1',
      service_time: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
    });
  }
  return repeatedChanges(database.db);
}

test('a history that goes on where it was, through states of their own, has nothing twice', async () => {
  expect(await repeats([null, 'pending', 'webhook', 1], ['pending', 'completed', 'poll', 2])).toEqual([]);
});

test('the same change by two events is shown', async () => {
  const found = await repeats(
    ['pending', 'completed', 'webhook', 1],
    ['completed', 'pending', 'poll', 9],
    ['pending', 'completed', 'webhook', 1],
  );
  expect(found).toMatchObject([expect.stringContaining('payment_intent pi_1 status')]);
});

test('a change that begins elsewhere than the one before it ended is shown', async () => {
  expect(await repeats([null, 'pending', 'webhook', 1], ['confirming', 'completed', 'poll', 2])).toHaveLength(1);
});

test('a value whose fields came to stand in another order in between is the same', async () => {
  const change = {
    entity_kind: 'payment_intent',
    entity_id: 'pi_1',
    field: 'reported',
    source_type: 'webhook',
    source_ref: '1',
  };
  const [one, other] = ['{"a":"1","b":"2"}', '{"b":"2","a":"1"}'];
  await database.db('changes').insert({ ...change, to_value: one });
  await database.db('changes').insert({ ...change, from_value: other, to_value: '{"a":"3"}' });
  expect(await repeatedChanges(database.db)).toEqual([]);
  await database.db('changes').insert({ ...change, from_value: '{"a":"4"}', to_value: '{"a":"5"}' });
  expect(await repeatedChanges(database.db)).toHaveLength(1);
});

test('a poll may show which of two events of one second was the later one', async () => {
  const found = await repeats(
    ['pending', 'unmatched', 'webhook', 5],
    ['unmatched', 'expired', 'webhook', 5],
    ['expired', 'unmatched', 'poll', 9],
  );
  expect(found).toEqual([]);
});

test('and of two that stand equally far on, whenever their events were sent, as a retry names its own time', async () => {
  const found = await repeats(
    ['pending', 'unmatched', 'webhook', 5],
    ['unmatched', 'expired', 'webhook', 25],
    ['expired', 'unmatched', 'poll', 29],
  );
  expect(found).toEqual([]);
});

test('not of two that time and rank distinguish', async () => {
  const found = await repeats(
    ['pending', 'confirming', 'webhook', 5],
    ['confirming', 'unmatched', 'webhook', 25],
    ['unmatched', 'confirming', 'poll', 29],
  );
  expect(found).toHaveLength(1);
});

test('an event does not say of two which was the later one', async () => {
  const found = await repeats(
    ['pending', 'unmatched', 'webhook', 5],
    ['unmatched', 'expired', 'webhook', 25],
    ['expired', 'unmatched', 'webhook', 29],
  );
  expect(found).toHaveLength(1);
});

test('an order may go back and forth while its records are heard of one after the other, but is paid once', async () => {
  const unsure: Step[] = [
    [null, 'paid_unverified', 'poll', 1],
    ['paid_unverified', 'confirming', 'webhook', 1],
    ['confirming', 'paid_unverified', 'webhook', 1],
    ['paid_unverified', 'paid', 'poll', 2],
  ];
  expect(await repeatsOf('order', unsure)).toEqual([]);
  const again: Step[] = [
    ['paid', 'confirming', 'webhook', 60],
    ['confirming', 'paid', 'webhook', 60],
  ];
  expect(await repeatsOf('order', again)).toHaveLength(1);
});

test('of a list that shows what left and came, the same step twice', async () => {
  const change = {
    entity_kind: 'order',
    entity_id: 'A',
    field: 'paymentIntents',
    source_type: 'poll',
    source_ref: '1',
  };
  const came = (id: string) =>
    database.db('changes').insert({ ...change, from_value: '[]', to_value: JSON.stringify([id]) });
  await came('pi_1');
  await came('pi_2');
  expect(await repeatedChanges(database.db)).toEqual([]);
  await came('pi_2');
  expect(await repeatedChanges(database.db)).toHaveLength(1);
});
