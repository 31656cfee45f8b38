import { expect, test } from 'vitest';
import { examine } from '../../src/wiring/doctor/examine.js';
import { useFreshDatabase } from '../support/database.js';
import { partsFor, startService } from './doctor-service.js';

const database = useFreshDatabase();

test('beside a newer schema everything else is examined all the same', async () => {
  const { db } = database;
  await db('migrations').insert({ name: '9999_of_a_later_version.sql', batch: 9, migration_time: new Date() });
  const service = await startService();
  const { items } = await examine(partsFor(db, service.url));
  await service.close();
  expect(items.find(({ name }) => name === 'version')).toMatchObject({ status: 'finding' });
  const names = items.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['database', 'service', 'secret test', 'events', 'alerts', 'matching']));
});
