import request from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../../src/domain/books/chart.js';
import { askDecision, decide } from '../../../src/finance/decisions/decisions.js';
import { createLog } from '../../../src/log.js';
import { recordAction } from '../../../src/records/actions/record-action.js';
import { checkSeals } from '../../../src/records/audit/seal-checks.js';
import { sealRows } from '../../../src/records/audit/seal-rows.js';
import { openBreaks } from '../../../src/records/breaks/breaks.js';
import { defaultContract } from '../../../src/service-api/contract.js';
import { bearer, testConsole } from '../../support/console.js';
import { session as sessionAt, visit } from '../../support/console-visit.js';
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

it('says what came of what was asked for, and details in words', async () => {
  const { db } = database;
  const settings = { table: defaultContract.movements, timeZone: 'UTC', currency: 'USD', chart: defaultChart };
  const deps = { ...settings, db, now, log: createLog('silent') };
  const entity = { kind: 'payout', id: 'po_1' } as const;
  await db.transaction((trx) => openBreaks(trx, [{ kind: 'payout_stuck', entity, evidence: {} }]));
  const input = { ids: await db('breaks').where({ kind: 'payout_stuck' }).pluck('id') };
  const request = { action: 'write off break', input, reason: 'known' } as const;
  const asked = await askDecision(deps, request, { name: 'fina', role: 'finance' });
  const { id } = asked.outcome === 'waits' ? asked.decision : { id: '' };
  const target = `decision ${id}`;
  const details = { kinds: ['payouts', 'invoices'], full: true, since: null, lockedUntil: { day: '2026-11-01' } };
  await recordAction(db, { actor: 'omar', action: 'run', details, outcome: 'asked' });
  await recordAction(db, { actor: 'omar', action: 'recover', target: 'delivery d_1', outcome: 'asked' });
  const read = async () => (await visit(site.app, 'viewer')).get('/audit');
  const { text, main } = await read();
  expect(text).toContain('full: yes; kinds: payouts, invoices; locked until: day: 2026-11-01');
  for (const kind of ['payouts', 'deliveries']) expect(main).toContain(`href="/runs?kind=${kind}&amp;from=`);
  expect(text).toMatch(new RegExp(`ask approval ${target}.*asked waiting`));
  await decide(deps, { id, verdict: 'refuse', note: 'no' }, { name: 'felix', role: 'finance' });
  expect((await read()).text).toMatch(new RegExp(`ask approval ${target}.*asked refused`));
});
