import { expect, test } from 'vitest';
import { UNEXPLAINED } from '../../src/domain/rejection-words.js';
import { runKinds } from '../../src/domain/run-kinds.js';
import { getRejection, listRejections } from '../../src/records/alerts/list-rejections.js';
import { secretsStatus } from '../../src/webhook/rotation.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useFreshDatabase } from '../support/database.js';
import { SECRET } from '../support/signed.js';
import { makeEndpointAgain } from '../wiring/fault-steps.js';

const database = useFreshDatabase();

test('a secret whose endpoint was made again says so, and the endpoint that is gone is not active', async () => {
  const { db } = database;
  await makeEndpointAgain(db);
  const status = () => secretsStatus(db, [{ label: 'live', secret: SECRET }]);
  const said = 'The endpoint of “live”, we_1, is gone at the service. we_2, made at 2026-11-26 18:06:14 UTC,';
  const { items } = await status();
  expect(items[0]).toMatchObject({
    replacedBy: { id: 'we_2', createdAt: '2026-11-26T18:06:14.000Z' },
    next: expect.stringContaining(said),
  });
  expect(items[0]).toMatchObject({ verdict: 'keep', missing: ['it is the only secret that is accepted'] });
  const console = await visit(testConsole(db, { runKinds, secretsStatus: status }).app, 'admin');
  const { main } = await console.get('/secrets');
  expect(main).toContain('Its endpoint is gone at the service, and another took its place');
  expect(main).toContain(said);
  expect(main).not.toContain('It is the one that is in use');
  // In the words of the verdict, as in the API and the command.
  expect(main).toMatch(/Missing before it may go[^]*?it is the only secret that is accepted/);
  const rows = (await console.get('/endpoints')).main.split('<tr').filter((row) => row.includes('we_'));
  expect(rows.map((row) => [row.includes('not at the service'), row.includes('>active<')])).toEqual([
    [false, true],
    [true, false],
  ]);

  await db('secrets').insert({ label: 'next', fingerprint: 'f', last_match_at: new Date() });
  expect((await status()).items[0]).toMatchObject({ replacedBy: null });
});

test('Rejections names the cause first, and no sample of since then has another', async () => {
  const { db } = database;
  await makeEndpointAgain(db);
  await db('rejections').update({ diagnosis: UNEXPLAINED });
  const cause = 'we_2, made at 2026-11-26 18:06:14 UTC, is at the same address: its secret is missing here.';
  const { main } = await (await visit(testConsole(db, { runKinds }).app, 'admin')).get('/rejections');
  const at = main.indexOf('Rejected in the last seven days');
  const [before, table] = [main.slice(0, at), main.slice(at)];
  expect(before).toMatch(/Webhooks are rejected for their signature: 100/);
  expect(before).toContain(cause);
  expect(table).toContain(cause);
  expect(main).not.toMatch(/No usual mistake|look for a proxy/);
  const { items } = await listRejections(db, {});
  const [{ id, diagnosis }] = items as [(typeof items)[number]];
  expect(diagnosis).toContain(cause);
  expect((await getRejection(db, id))?.diagnosis).toBe(diagnosis);

  await db('rejections').update({ rejected_at: new Date('2026-11-26T18:00:00Z') });
  expect((await listRejections(db, {})).items[0]?.diagnosis).toBe(UNEXPLAINED);
});
