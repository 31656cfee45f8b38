import { beforeEach, expect, test } from 'vitest';
import type { Json } from '../../src/domain/json.js';
import { NotFoundError } from '../../src/service-api/service-errors.js';
import { openSandbox, type Row, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { type AtService, atService } from './service-at.js';

const ASSET = 'USDT.TRC20';
const database = resettableDatabase();
let sandbox: TestSandbox;
let at: AtService;
let calls: number;

beforeEach(async () => {
  sandbox = await openSandbox({ payments: 60, payouts: 200, seed: 5 });
  at = atService(database, sandbox.url);
  calls = 0;
  pagedByTokens(at);
});
/** As if the list of payouts were `{items, nextCursor}`, 20 rows a page, and its cursors no ids. */
function pagedByTokens({ deps }: AtService): void {
  const { client } = deps;
  deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      if (operation !== 'listPayouts') return client.reply(operation, request);
      calls += 1;
      const { cursor, ...query } = request.query ?? {};
      const id = /^token:(.*)$/.exec(String(cursor ?? ''))?.[1];
      if (cursor !== undefined && id === undefined) throw unknown();
      const answer = await client.reply(operation, {
        ...request,
        query: { ...query, take: 20, ...(id === undefined ? {} : { cursor: id }) },
      });
      const items = answer.data as Row[];
      const last = items.at(-1);
      const nextCursor = items.length < 20 || last === undefined ? null : `token:${last.id}`;
      return { ...answer, data: { items, nextCursor } as Json };
    },
  };
}

function unknown(): NotFoundError {
  const refusal = { operation: 'listPayouts', status: 404, serviceCode: null, serviceMessage: null };
  return new NotFoundError('no such cursor', refusal);
}

async function truth(): Promise<string[]> {
  const { body } = await sandbox.call<Record<string, Row[]>>('GET', '/sandbox/truth');
  return (body['payouts'] ?? []).map(({ id, status }) => `${id} ${String(status)}`).toSorted();
}
const held = async () =>
  (await database.db('payouts').select('id', 'status')).map(({ id, status }) => `${id} ${status}`).toSorted();

test('a list that is paged by the service’s own cursors is read to its end', async () => {
  const run = await at.run('payouts');
  expect(run.proof['reason']).toBeUndefined();
  expect(run).toMatchObject({ status: 'succeeded', complete: true });
  expect((await held()).length).toBeGreaterThan(100);
  expect(await held()).toEqual(await truth());
});

test('one that is far down and ends is read by the next run, with few calls', async () => {
  const body = { assetCode: ASSET, amount: '1', destinationAddress: 'TXYZ-somewhere' };
  const id = sandbox.control.createPayout(body);
  for (let n = 0; n < 90; n += 1) {
    const newer = sandbox.control.createPayout(body);
    sandbox.control.advancePayout(newer, { step: 'fail' });
  }
  await at.run('payouts');
  sandbox.control.advancePayout(id, { step: 'fail' });
  calls = 0;
  const run = await at.run('payouts');
  expect(run.proof['reason']).toBeUndefined();
  expect(run).toMatchObject({ complete: true });
  expect(await held()).toEqual(await truth());
  expect(calls).toBeLessThan(50);
});

test('a reading that stopped is gone on with by the cursor that it came to, and not from the head again', async () => {
  const asked: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    calls = 0;
    const { proof } = await at.run('payouts', { pages: 3 });
    asked.push(calls);
    const left = await database
      .db('unread_intervals')
      .where({ kind: 'payouts', list: 'head' })
      .whereNotNull('newer_id');
    if (n === 0) expect(left).toMatchObject([{ token: expect.stringMatching(/^token:/) }]);
    if (!JSON.stringify(proof).includes('goes on')) break;
  }
  expect(await held()).toEqual(await truth());
  expect(asked.length).toBeGreaterThan(3);
  // What lies deeper costs no more than what is near the head.
  expect(Math.max(...asked.slice(1))).toBeLessThan((asked[1] ?? 0) + 5);
});
