import request from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { recordAction } from '../../../src/records/actions/record-action.js';
import { checkSeals } from '../../../src/records/audit/seal-checks.js';
import { sealRows } from '../../../src/records/audit/seal-rows.js';
import { bearer, testConsole } from '../../support/console.js';
import { session as sessionAt } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';
import { poll } from '../../support/observations.js';
import { intent } from '../../support/records.js';
import { save } from '../../support/saved.js';

const database = useDatabase();
let site: ReturnType<typeof testConsole>;
const now = () => new Date();

beforeAll(async () => {
  site = testConsole(database.db);
  await save(database, [poll('payment_intent', intent('pi_1', { merchantReference: 'r1' }), 10)]);
  await recordAction(database.db, { actor: 'ann', action: 'look', outcome: 'done' });
}, 60_000);

const session = (role: string) => sessionAt(site.app, role);

it('never says that all is well before anything is sealed and verified', async () => {
  const { text } = await (await session('viewer')).get('/audit');
  expect(text).toContain('nothing is sealed yet');
  expect(text).toMatch(/\d+ of changes/);
  expect(text).toContain('never');
  expect(text).not.toContain('as it was sealed');
});

it('has the seals verified by whoever may, in their name', async () => {
  const viewer = await session('viewer');
  expect((await viewer.get('/audit')).text).not.toContain('Verify all seals now');
  expect((await viewer.post('/audit/verify')).status).toBe(403);
  const operator = await session('operator');
  expect((await operator.post('/audit/verify')).status).toBe(303);
  expect(site.verifySeals).toHaveBeenCalledWith('omar');
});

it('shows the newest seal and what came of the last check, good or bad', async () => {
  const { db } = database;
  await sealRows({ db, now });
  await checkSeals({ db, now }, { actor: 'omar' });
  const viewer = await session('viewer');
  const good = (await viewer.get('/audit')).text;
  expect(good).toContain((await db('seal_head').first()).hash);
  expect(good).toContain('every row is sealed');
  expect(good).toContain('as it was sealed');
  await db.raw('ALTER TABLE changes DISABLE TRIGGER USER');
  const { seq } = await db('changes').orderBy('seq').first();
  await db('changes').where({ seq }).update({ source_ref: '2' });
  await checkSeals({ db, now }, { actor: 'omar' });
  const bad = (await viewer.get('/audit')).text;
  expect(bad).toContain('What was sealed is not as it was');
  expect(bad).toContain(`row ${seq} of changes is not what was sealed`);
});

it('shows an order as it was known, and says what that leaves out', async () => {
  const viewer = await session('viewer');
  const { text } = await viewer.get('/orders/r1?asOf=2999-01-01');
  expect(text).toContain(`As it was known here at ${new Date().toISOString().slice(0, 10)}`);
  expect(text).toContain('Known is not happened');
  expect(text).toContain('pi_1');
  expect((await viewer.get('/orders/r1?asOf=2020-01-01')).text).toContain('Not known then');
  expect((await viewer.get('/orders/r1?asOf=tomorrow')).text).toContain('That is no time');
  expect((await viewer.get('/orders/r9?asOf=2026-01-01')).status).toBe(404);
  const ask = (query: string) => request(site.app).get(`/api/v1/orders/r1${query}`).set(bearer('viewer'));
  expect((await ask('?asOf=2999-01-01')).body).toMatchObject({
    reference: 'r1',
    paymentIntents: ['pi_1'],
  });
  expect((await ask('')).body).toMatchObject({ reference: 'r1', similarReferences: [] });
  expect((await ask('?asOf=2020-01-01')).status).toBe(404);
  expect((await ask('?asOf=x')).status).toBe(400);
});
