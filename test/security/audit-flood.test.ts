import type { Knex } from 'knex';
import request from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logRepeatedRefusals, recordAction } from '../../src/records/actions/record-action.js';
import { checkSeals } from '../../src/records/audit/seal-checks.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let site: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  site = await serve(testConsole(database.db).app);
});
afterAll(async () => {
  await site.close();
});

const HERE = { Host: 'console.example', Origin: 'https://console.example', 'Sec-Fetch-Site': 'same-origin' };

async function viewer(): Promise<(path: string) => Promise<number>> {
  const agent = request.agent(site.url);
  await agent
    .post('/sign-in')
    .set(HERE)
    .type('form')
    .send({ token: tokenOf('viewer') });
  const page = await agent.get('/orders').set('Host', HERE.Host);
  const csrf = /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const form = { _csrf: csrf, reason: 'x'.repeat(9_000) };
  return async (path) => (await agent.post(path).set(HERE).type('form').send(form)).status;
}

const later = (db: Knex) => db('repeated_refusals').update({ since: db.raw(`since - interval '2 minutes'`) });
const sealed = { now: () => new Date() };

test('refusals without end are a few short rows of the audit that say how many; what is done is noted each time, and the seals hold', async () => {
  const { db } = database;
  const post = await viewer();
  const long = encodeURIComponent('9'.repeat(9_000));
  for (let n = 0; n < 20; n++) {
    const statuses = await Promise.all(Array.from({ length: 5 }, () => post(`/events/${long}/replay`)));
    expect(new Set(statuses)).toEqual(new Set([403]));
    await recordAction(db, { actor: 'vera', action: 'replay', target: `event ${n}`, outcome: 'done' });
  }
  await sealRows({ db, ...sealed });
  expect(await db('actions').where({ outcome: 'done' }).count()).toEqual([{ count: '20' }]);
  expect(await db('actions').where({ outcome: 'refused' }).count()).toEqual([{ count: '5' }]);
  await later(db);
  await logRepeatedRefusals(db);
  const refused = await db('actions').where({ outcome: 'refused' }).orderBy('id');
  expect(refused).toMatchObject([
    ...Array.from({ length: 5 }, () => ({ actor: 'vera', target: '9'.repeat(200) })),
    { actor: 'vera', details: { folded: 95 } },
  ]);
  expect(JSON.stringify(refused).length).toBeLessThan(15_000);
  expect(await db('repeated_refusals')).toEqual([]);
  await sealRows({ db, ...sealed });
  expect(await checkSeals({ db, ...sealed }, { actor: 'test' })).toMatchObject({ findings: 0 });
});

test('the next refusal counts those before it, and another actor or action has a row of its own', async () => {
  const { db } = database;
  const refuse = (actor: string, action: string, details = {}) =>
    recordAction(db, { actor, action, reason: 'r'.repeat(9_000), details, outcome: 'refused' });
  for (const actor of ['ann', 'bob'])
    for (const action of [...Array.from({ length: 7 }, () => 'run'), 'recover']) await refuse(actor, action);
  await later(db);
  await refuse('ann', 'run', { told: 't'.repeat(9_000) });
  const rows = await db('actions').where({ actor: 'ann' }).orderBy('id');
  expect(rows.map(({ action, details }) => [action, details.folded ?? 'one'])).toEqual([
    ...Array.from({ length: 5 }, () => ['run', 'one']),
    ['recover', 'one'],
    ['run', 2],
    ['run', 'one'],
  ]);
  expect(rows.at(-1)).toMatchObject({ reason: 'r'.repeat(500), details: { told: 't'.repeat(500), isCut: true } });
  // One that was refused in a transaction that failed was not.
  const failed = db.transaction(async (trx) => {
    await recordAction(trx, { actor: 'eve', action: 'run', outcome: 'refused' });
    throw new Error('lost');
  });
  await expect(failed).rejects.toThrow('lost');
  expect(await db('repeated_refusals').where({ actor: 'eve' })).toEqual([]);
});
