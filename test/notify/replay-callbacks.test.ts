import request from 'supertest';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
const shell = useShell(database);

beforeAll(async () => {
  app = testConsole(database.db).app;
});

/** Two of order a, of which the newer was given up; one of b, given up; one of c, on its way; one of d, taken. */
const rows = [
  { id: 1, reference: 'a', status: 'superseded' },
  { id: 2, reference: 'a', status: 'dead' },
  { id: 3, reference: 'b', status: 'dead' },
  { id: 4, reference: 'c', status: 'pending', claimed_until: new Date('2999-01-01') },
  { id: 5, reference: 'd', status: 'sent' },
];

let earlier: number;
beforeEach(async () => {
  // What was done is never deleted.
  earlier = Number((await database.db('actions').max('id')).at(0)?.['max'] ?? 0);
  await database.db.raw('TRUNCATE callbacks RESTART IDENTITY');
  const shared = { changed_at: new Date(0), data: '{}', attempts: 50, error: 'answered 500', http_status: 500 };
  for (const { id: seq, ...row } of rows) await database.db('callbacks').insert({ ...shared, seq, ...row });
});

const states = async () =>
  Object.fromEntries((await database.db('callbacks').orderBy('id')).map(({ id, status }) => [id, status]));
const kept = () =>
  database
    .db('actions')
    .where('id', '>', earlier)
    .orderBy('id')
    .select('actor', 'action', 'target', 'reason', 'outcome');

describe('by the API', () => {
  const replay = (id: string, role = 'operator', body?: object) => {
    const asked = request(app).post(`/api/v1/callbacks/${id}/replay`).set(bearer(role));
    return body === undefined ? asked : asked.send(body);
  };

  it('one is due again, with its webhook-id, and it is kept who asked for it', async () => {
    const before = await database.db('callbacks').where({ id: 3 }).first('webhook_id');
    const answer = await replay('3', 'operator', { note: 'the shop was down' });
    expect([answer.status, answer.body]).toEqual([202, { accepted: true, id: '3' }]);
    expect(await database.db('callbacks').where({ id: 3 }).first()).toMatchObject({
      ...before,
      status: 'pending',
      attempts: 0,
      error: null,
    });
    const action = { actor: 'omar', action: 'replay callback', target: 'callback 3', outcome: 'asked' };
    expect(await kept()).toEqual([{ ...action, reason: 'the shop was down' }]);
    expect((await replay('5', 'admin')).status).toBe(202);
  });

  it('nothing is sent that is older than another, on its way, or not there', async () => {
    const older = await replay('1');
    expect([older.status, older.body.newestId]).toEqual([409, '2']);
    expect((await replay('4')).status).toBe(409);
    for (const id of ['99', 'x', '9'.repeat(30)]) expect((await replay(id)).status).toBe(404);
    expect(await states()).toEqual({ 1: 'superseded', 2: 'dead', 3: 'dead', 4: 'pending', 5: 'sent' });
    expect((await kept()).map(({ target, outcome }) => [target, outcome])).toEqual([
      ['callback 1', 'refused'],
      ['callback 4', 'refused'],
    ]);
  });

  it('needs an operator, and refuses what it does not know', async () => {
    for (const role of ['viewer', 'finance']) expect((await replay('3', role)).status).toBe(403);
    expect((await replay('3', 'operator', { why: 'x' })).status).toBe(400);
    expect(await states()).toMatchObject({ 3: 'dead' });
    expect(await kept()).toEqual([]);
  });
});

describe('by the command line', () => {
  const callbacks = (...words: string[]) => shell('callbacks', ...words);

  it('they are listed, rehearsed, and sent again one by one or all that were given up', async () => {
    const listed = await callbacks('list', '--status', 'dead', '--json');
    expect(listed.code).toBe(0);
    expect(listed.json.items.map(({ id }: { id: string }) => id)).toEqual(['3', '2']);
    expect((await callbacks('list', '--reference', 'b')).stdout).toContain('answered 500');

    const rehearsed = await callbacks('replay', '--dead', '--dry-run', '--json');
    expect([rehearsed.code, rehearsed.json]).toEqual([0, { replayed: 2, dryRun: true, ids: ['3', '2'] }]);
    expect([await states(), await kept()]).toMatchObject([{ 2: 'dead', 3: 'dead' }, []]);

    expect((await callbacks('replay', '2', '--note', 'the shop was down')).stdout).toBe('replaying 1 callback\n');
    expect(await states()).toMatchObject({ 2: 'pending', 3: 'dead' });
    expect((await callbacks('replay', '--dead')).stdout).toBe('replaying 1 callback\n');
    expect(await states()).toMatchObject({ 2: 'pending', 3: 'pending', 5: 'sent' });
    const actions = await kept();
    expect(actions.map(({ action, target, reason }) => [action, target, reason])).toEqual([
      ['replay callback', 'callback 2', 'the shop was down'],
      ['replay dead callbacks', null, null],
    ]);
    expect(actions[0]?.actor).toMatch(/^os:/);
  });

  it('what can’t be sent again is refused with the reason', async () => {
    for (const [args, why] of [
      [['1'], 'newer callback, 2'],
      [['4'], 'on its way'],
      [['99'], 'no callback "99"'],
      [[], 'Say which'],
      [['3', '--dead'], 'Say which'],
    ] as const) {
      const { code, stderr } = await callbacks('replay', ...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
    }
    expect(await kept()).toEqual([]);
  });
});
