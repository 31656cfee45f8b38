import { expect, it } from 'vitest';
import { DOCTOR, keepResult, newestResult } from '../../src/records/actions/list-actions.js';
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

  const at = new Date(Date.now() - 300_000);
  await keepResult(db, DOCTOR, { at, actor: 'cli:ops', result: { items } });
  await keepResult(db, DOCTOR, { at: new Date(at.getTime() - 1), actor: 'late', result: { items: [] } });
  expect((await newestResult(db, DOCTOR))?.actor).toBe('cli:ops');

  expect((await admin.get('/')).notices).toContain('The doctor’s checks found 1 to fix, 5 min ago.');
  const page = await admin.get('/doctor');
  expect(page.notices).toContain('1 finding: something is to be done');
  expect(page.notices).toContain('5 min ago, by cli:ops');
  expect(page.text).toContain('no answer with it: Nothing is proven: payouts');
  // It is said beneath its cause.
  expect(page.text).not.toContain('follows from');

  const { code, stdout, stderr } = await run('doctor', '--last');
  expect([code, stderr]).toEqual([3, expect.stringContaining('5 min ago, by cli:ops')]);
  expect(stdout).toContain('with it: Nothing is proven: payouts');
  expect(stdout).not.toContain('follows from');
  expect((await run('doctor', '--last', '--all')).stdout).toContain(`follows from: ${CAUSE}`);
  expect((await run('doctor', '--last', '--json')).json).toMatchObject({ items });
});

it('what is old does not count as now, nor what the database shows to be over', async () => {
  const { db } = database;
  const events = { name: 'dead events', status: 'finding', found: '1 was given up', remedy: 'Replay it.' };
  const name = { name: 'contract paths.listPayouts', status: 'finding', found: 'another', remedy: 'Set it.' };
  const shown = async (minutes: number) => {
    await db('newest_results').delete();
    const at = new Date(Date.now() - minutes * 60_000);
    await keepResult(db, DOCTOR, { at, actor: 'ada', result: { items: [events, name] } });
    const admin = await visit(testConsole(db).app, 'admin');
    const page = await admin.get('/doctor');
    return { overview: (await admin.get('/')).notices, doctor: page.notices, text: page.text };
  };
  expect(await shown(5)).toMatchObject({
    overview: expect.stringContaining('checks found 2 to fix, 5 min ago.') as string,
    doctor: expect.stringContaining('2 findings: something is to be done') as string,
  });
  // The alerts have been checked since, and there is no such event any more.
  expect(await shown(20)).toMatchObject({
    overview: expect.stringContaining('checks found 1 to fix and 1 that is over, 20 min ago.') as string,
    doctor: expect.stringContaining('1 finding: something is to be done') as string,
    text: expect.stringMatching(/paths\.listPayouts finding .* dead events over since/) as string,
  });
  const old = await shown(90);
  expect(old.overview).toContain('The doctor’s checks were run 1 h ago: run them again.');
  expect(old.doctor).toContain('These checks are 1 h old: run them again');
  expect(`${old.overview} ${old.doctor}`).not.toMatch(/to fix|to be done/);
});

it('checks that could not be run are no clean bill', async () => {
  const { db } = database;
  await keepResult(db, DOCTOR, { at: new Date(), actor: 'ada', result: { error: 'the disk is full' } });
  const admin = await visit(testConsole(db).app, 'admin');
  expect((await admin.get('/')).notices).toContain('The doctor’s checks could not be run');
  expect((await admin.get('/doctor')).notices).toContain('the disk is full');
  expect((await run('doctor', '--last')).code).toBe(2);
});
