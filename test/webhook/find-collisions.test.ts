import { expect, test } from 'vitest';
import { findCollisions } from '../../src/webhook/apply-events.js';
import { readEvent } from '../../src/webhook/observe-event.js';
import { useFreshDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const MB = 1_048_576;

const database = useFreshDatabase();

test('earlier events are read half a megabyte at once, or one, however many are asked for, and none is passed over', async () => {
  const { db } = database;
  const padding = { metadata: { text: 'x'.repeat(0.9 * MB) } };
  await storeEvents(
    db,
    NAMES.map((name) => ({ ...completed(name, name === 'e' ? {} : padding), id: `evt_${name}` })),
  );
  const seconds = await storeEvents(
    db,
    NAMES.map((name) => ({ ...completed(name === 'c' ? 'c' : `${name}2`), id: `evt_${name}` })),
  );
  const rows = await db('inbox')
    .whereIn('id', seconds)
    .orderBy('id')
    .select('id', 'key', 'event_type', 'event_timestamp', 'source', db.raw("convert_from(body, 'UTF8') AS body"));
  const events = rows.map((row) => readEvent({ ...row, type: row.event_type, timestamp: row.event_timestamp }));
  let most = 0;
  db.on('query-response', (response: { body?: string }[]) => {
    if (Array.isArray(response)) most = Math.max(most, sumOf(response));
  });
  const found = await db.transaction((trx) => findCollisions(trx, events));
  expect(new Map(found.map(({ evidence }) => [evidence['earlierRecord'], evidence['record']]))).toEqual(
    new Map(NAMES.filter((name) => name !== 'c').map((name) => [`pi_${name}`, `pi_${name}2`])),
  );
  expect(most).toBeGreaterThan(MB / 2);
  expect(most).toBeLessThan(MB);
});

function sumOf(rows: readonly { body?: string }[]): number {
  return rows.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
}
