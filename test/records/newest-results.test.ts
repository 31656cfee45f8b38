import { expect, it } from 'vitest';
import { DOCTOR, keepResult, newestResult } from '../../src/records/actions/newest-results.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const run = useShell(database);
const CAUSE = 'The service does not answer';
const items = [
  { name: 'service', status: 'finding', found: 'no answer', remedy: 'Wait.', follows: ['Nothing is proven: payouts'] },
  { name: 'payouts', status: 'unknown', found: `follows from: ${CAUSE}`, remedy: null, because: CAUSE },
  { name: 'database', status: 'ok', found: 'answers', remedy: null },
];

it('what the doctor found last stands on the pages and in the command, with its age, whoever ran it', async () => {
  const { db } = database;
  const { app } = testConsole(db);
  const admin = await visit(app, 'admin');
  expect((await admin.get('/')).notices).toContain('The doctor’s checks were never run.');
  expect((await run('doctor', '--last')).code).toBe(2);

  const at = new Date(Date.now() - 2 * 3_600_000);
  await keepResult(db, DOCTOR, { at, actor: 'cli:ops', result: { items } });
  await keepResult(db, DOCTOR, { at: new Date(at.getTime() - 1), actor: 'late', result: { items: [] } });
  expect((await newestResult(db, DOCTOR))?.actor).toBe('cli:ops');

  expect((await admin.get('/')).notices).toContain('The doctor’s checks found 1 to fix, 2 h ago.');
  const page = await admin.get('/doctor');
  expect(page.notices).toContain('1 finding: something is to be done');
  expect(page.notices).toContain('2 h ago, by cli:ops');
  expect(page.text).toContain('no answer with it: Nothing is proven: payouts');
  // It is said beneath its cause.
  expect(page.text).not.toContain('follows from');

  const { code, stdout, stderr } = await run('doctor', '--last');
  expect([code, stderr]).toEqual([3, expect.stringContaining('2 h ago, by cli:ops')]);
  expect(stdout).toContain('with it: Nothing is proven: payouts');
  expect(stdout).not.toContain('follows from');
  expect((await run('doctor', '--last', '--all')).stdout).toContain(`follows from: ${CAUSE}`);
  expect((await run('doctor', '--last', '--json')).json).toMatchObject({ items });
});

it('checks that could not be run are no clean bill', async () => {
  const { db } = database;
  await keepResult(db, DOCTOR, { at: new Date(), actor: 'ada', result: { error: 'the disk is full' } });
  const admin = await visit(testConsole(db).app, 'admin');
  expect((await admin.get('/')).notices).toContain('The doctor’s checks could not be run');
  expect((await admin.get('/doctor')).notices).toContain('the disk is full');
  expect((await run('doctor', '--last')).code).toBe(2);
});
