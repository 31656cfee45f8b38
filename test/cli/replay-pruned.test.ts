import { expect, test } from 'vitest';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const run = useShell(database);

test('an event whose body is gone can not be replayed, and is left out of many', async () => {
  const [gone = '', there = ''] = await storeEvents(database.db, [completed('a'), completed('b')]);
  await database.db('inbox').update({ status: 'applied' });
  await database.db('inbox').where({ id: gone }).update({ body: null });
  const refused = await run('events', 'replay', gone);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('RETENTION_BODY_DAYS');
  const many = await run('events', 'replay', '--status', 'applied', '--json');
  expect(many.json).toEqual({ replayed: [there], pruned: [gone], dryRun: false });
  expect(await database.db('inbox').where({ status: 'received' }).pluck('id')).toEqual([there]);
});
