import { beforeAll, expect, test } from 'vitest';
import { resources } from '../../src/console/api/resources.js';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';

const ROWS = 20;
const LARGE = 'x'.repeat(200_000);

const database = useDatabase();
beforeAll(async () => {
  const places = Array.from({ length: ROWS }, (_, place) => place);
  await storeEvents(
    database.db,
    places.map((place) => completed(`${place}`, { metadata: { text: LARGE } })),
  );
  await database.db('deliveries').insert(
    places.map((place) => ({
      id: `d${place}`,
      payload: LARGE,
      ours: true,
      class: 'never_reached',
      poll_from: 1,
      poll_ref: 'run',
    })),
  );
});

test.each(['events', 'deliveries'])('a page of %s reads no bodies, however large they are', async (path) => {
  const { db } = database;
  let read = 0;
  db.on('query-response', (response: unknown) => {
    read += JSON.stringify(response).length;
  });
  const page = await resources.find((resource) => resource.path === path)?.list(db, { filters: {} });
  expect(page?.items).toHaveLength(ROWS);
  expect(read).toBeGreaterThan(ROWS * 50);
  expect(read).toBeLessThan(ROWS * 5_000);
});
