import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';
import { runHere } from '../support/run-here.js';

const database = useDatabase();
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'replay-'));
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
});

test('an event whose body is gone can not be replayed, and is left out of many', async () => {
  const [gone = '', there = ''] = await storeEvents(database.db, [completed('a'), completed('b')]);
  await database.db('inbox').update({ status: 'applied' });
  await database.db('inbox').where({ id: gone }).update({ body: null });
  const run = (...args: string[]) => runHere(args, { cwd, env: { DATABASE_URL: database.url } });
  const refused = await run('events', 'replay', gone);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('RETENTION_BODY_DAYS');
  const many = await run('events', 'replay', '--status', 'applied', '--json');
  expect(JSON.parse(many.stdout)).toEqual({ replayed: [there], pruned: [gone], dryRun: false });
  expect(await database.db('inbox').where({ status: 'received' }).pluck('id')).toEqual([there]);
});
