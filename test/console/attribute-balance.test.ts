import request from 'supertest';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAttributions } from '../../src/records/balances/balance-views.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { judgedBalance } from '../support/classified-balance.js';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
let count = 0;
let asset: string;

beforeAll(() => {
  app = testConsole(store.db).app;
});
beforeEach(async () => {
  count += 1;
  asset = `C${count}.NET`;
  await judgedBalance(store.db, { assetCode: asset, opening: '100', balance: '56' });
});

const attribute = (body: object, role = 'finance', code = asset) =>
  request(app).post(`/api/v1/balances/${code}/attribute`).set(bearer(role)).send(body);
const note = 'the settlement of 3 November, see the bank';
const residuals = async () => (await listBreaks(store.db, { kind: 'balance_residual', status: 'open' })).items;

describe('what no list shows is attributed', () => {
  it('by finance alone, under the name of who said it', async () => {
    for (const role of ['viewer', 'operator']) {
      expect((await attribute({ amount: '-44', note }, role)).status).toBe(403);
    }
    expect(await listAttributions(store.db, asset)).toEqual([]);
    const done = await attribute({ amount: '-44', note });
    expect(done.status).toBe(200);
    expect(done.body).toMatchObject({
      id: asset,
      proof: {
        status: 'agrees',
        unexplained: '0',
        attributed: '-44',
        unobservable: '-44',
        opening: { balance: '100' },
      },
      attributions: [{ amount: '-44', note, actor: 'fina' }],
    });
  });

  it('in parts, each once; the break ends with the last of them', async () => {
    const left = async () => (await residuals()).filter(({ entity }) => entity.id === asset).length;
    expect((await attribute({ amount: '-40.5', note })).body.proof).toMatchObject({ unexplained: '-3.5' });
    expect(await left()).toBe(1);
    const again = await attribute({ amount: '-40.5', note });
    expect([again.status, again.body.open]).toEqual([409, '-3.5']);
    expect((await attribute({ amount: '-3.5', note })).status).toBe(200);
    expect(await left()).toBe(0);
    expect((await attribute({ amount: '-3.5', note })).status).toBe(409);
    expect((await listAttributions(store.db, asset)).map(({ amount }) => amount)).toEqual(['-3.5', '-40.5']);
  });

  it('once, also when two people say it in the same moment', async () => {
    const answers = await Promise.all([attribute({ amount: '-44', note }), attribute({ amount: '-44', note })]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await listAttributions(store.db, asset)).toHaveLength(1);
  });

  it.each(['-44.000000000000000001', '-45', '44', '0.000000000000000001', '0', '-0'])(
    'never more than is open, nor of the other sign, nor nothing (%s)',
    async (amount) => {
      const answer = await attribute({ amount, note });
      expect([answer.status, answer.body.open]).toEqual([409, '-44']);
      expect(await listAttributions(store.db, asset)).toEqual([]);
    },
  );

  it.each<[object]>([
    [{ amount: '-1.0000000000000000001', note }],
    [{ amount: -44, note }],
    [{ amount: '-1e1', note }],
    [{ amount: '-44' }],
    [{ amount: '-44', note: '  ' }],
    [{ amount: '-44', note, actor: 'somebody else' }],
    [{ amount: '-44', note, on: '2026-02-30' }],
    [{}],
  ])('only by a body that is right (%j)', async (body) => {
    expect((await attribute(body)).status).toBe(400);
    expect(await listAttributions(store.db, asset)).toEqual([]);
  });

  it('on the day that finance names, never on one that is yet to come', async () => {
    const refused = await attribute({ amount: '-44', note, on: '2999-01-01' });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('yet to come')]);
    const on = new Date().toISOString().slice(0, 10);
    const done = await attribute({ amount: '-44', note, on });
    expect(done.body.attributions).toMatchObject([{ amount: '-44', bookedOn: on }]);
  });

  it('of no asset that was never read', async () => {
    expect((await attribute({ amount: '-44', note }, 'finance', 'NEVER.SEEN')).status).toBe(404);
  });
});
