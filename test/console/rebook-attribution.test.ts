import request from 'supertest';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ContraAccount } from '../../src/domain/books/chart.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { judgedBalance } from '../support/classified-balance.js';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let count = 0;
let asset: string;

beforeEach(async () => {
  count += 1;
  asset = `C${count}.NET`;
  const now = new Date('2026-02-28T00:00:00Z');
  await judgedBalance(database.db, { assetCode: asset, opening: '1000', balance: '5000', now });
});

async function attribute(amount: string, contra: ContraAccount, day: string): Promise<string> {
  const on = { day, timeZone: 'UTC' };
  const given = { assetCode: asset, amount, contra, on, note: 'found', actor: 'fina' };
  const result = await attributeBalance(database.db, given, new Date('2026-06-20T12:00:00Z'));
  if (result.outcome !== 'done') throw new Error(result.outcome);
  return result.id;
}

describe('by the API', () => {
  let app: ReturnType<typeof testConsole>['app'];
  beforeAll(() => {
    app = testConsole(database.db).app;
  });
  const ask = (id: string, body: object, role = 'finance') =>
    request(app).post(`/api/v1/balances/${asset}/attributions/${id}/rebook`).set(bearer(role)).send(body);

  it('it is rebooked once, also where two people do it at once; the other is told where it stands', async () => {
    const id = await attribute('1', 'income:attributed', '2026-05-17');
    const body = (contra: ContraAccount) => ({
      from: 'income:attributed',
      contra,
      on: '2026-05-17',
      note: 'whose it is',
    });
    expect((await ask(id, body('equity:deposits'), 'operator')).status).toBe(403);
    const answers = await Promise.all([ask(id, body('equity:deposits')), ask(id, body('liabilities:attributed'))]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409);
    const won = answers.find(({ status }) => status === 200)?.body.attributions[0];
    expect(lost?.body.detail).toContain(`stands on ${won.standsOn}, not on income:attributed`);
    expect(won.rebookings).toMatchObject([
      { from: 'income:attributed', contra: won.standsOn, actor: 'fina', note: 'whose it is' },
    ]);
  });

  it.each([[{}], [{ on: '2026-02-30' }], [{ contra: 'assets:operating' }], [{ from: undefined }], [{ note: ' ' }]])(
    'only by a body that is right (%j)',
    async (wrong) => {
      const id = await attribute('1', 'income:attributed', '2026-05-17');
      const body = { from: 'income:attributed', contra: 'equity:deposits', on: '2026-05-17', note: 'n', ...wrong };
      const answer = await ask(id, Object.keys(wrong).length === 0 ? {} : body);
      expect(answer.status).toBe(400);
      expect(
        (
          await ask('999999', {
            ...body,
            from: 'income:attributed',
            contra: 'equity:deposits',
            on: '2026-05-17',
            note: 'n',
          })
        ).status,
      ).toBe(404);
    },
  );
});
