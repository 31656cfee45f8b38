import { expect, test } from 'vitest';
import { CursorError } from '../../src/records/database/paging.js';
import { getRecord, listRecords, recordFilters } from '../../src/records/rows.js';
import { useDatabase } from '../support/database.js';
import { poll, report } from '../support/observations.js';
import { intent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

test('newest first by key, to the microsecond, those of unknown time ahead, and each of them once', async () => {
  const createdAt = [
    '2026-02-01T00:00:00.000001Z',
    '2026-02-01T00:00:00.000002Z',
    '2026-02-01T00:00:00.000002Z',
    '2026-02-01T02:00:00.000003+02:00',
    '2026-01-31T23:59:59Z',
    '2026-02-01 00:00:01',
  ];
  await save(database, [
    ...createdAt.map((created, index) => poll('payment_intent', intent(`t${index}`, { createdAt: created }), 0)),
    report('payment_intent', 'u1', { status: 'pending' }, 0),
    report('payment_intent', 'u2', { status: 'pending' }, 0),
    poll('payment_intent', intent('u3', { createdAt: 'yesterday' }), 0),
  ]);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listRecords(database.db, 'payment_intent', { take: 1, cursor });
    seen.push(...page.items.map((item) => item.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(['u3', 'u2', 'u1', 't5', 't3', 't2', 't1', 't0', 't4']);
});

test('a record is what the specification names, plain amounts, and how we know it', async () => {
  await save(database, [
    poll(
      'payment_intent',
      intent('a', { payins: [{ id: 'pa', amountGross: '1.500' }], posTerminalId: null, newField: { x: true } }),
      0,
      '42',
    ),
  ]);
  expect(await getRecord(database.db, 'payment_intent', 'a')).toMatchObject({
    id: 'a',
    amountRequested: '25',
    totalAmountReceived: '0',
    payins: [{ id: 'pa', amountGross: '1.5' }],
    newField: { x: true },
    verified: true,
    verifiedAt: '2026-03-01T00:00:00.000Z',
    observedAt: '2026-03-01T00:00:00.000Z',
    observedBy: { type: 'poll', ref: '42' },
    absentSince: null,
  });
  expect(await getRecord(database.db, 'payment_intent', 'nobody')).toBeNull();
});

test('lists are narrowed by the fields own names', async () => {
  expect(recordFilters('payin')).toEqual(['status', 'kytStatus', 'assetCode', 'txid', 'paymentIntentId']);
  await save(database, [
    poll('payin', payin('p1', 'x', { status: 'pending' }), 0),
    poll('payin', payin('p2', 'x'), 0),
    poll('payin', payin('p3', 'y'), 0),
  ]);
  const ids = async (filters: Record<string, string>) =>
    (await listRecords(database.db, 'payin', { filters })).items.map((item) => item.id);
  expect(await ids({ paymentIntentId: 'x' })).toEqual(['p2', 'p1']);
  expect(await ids({ paymentIntentId: 'x', status: 'confirmed' })).toEqual(['p2']);
  expect(await ids({ status: "x' OR true --" })).toEqual([]);
});

test('a cursor of another list is refused', async () => {
  const forged = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url');
  for (const cursor of ['junk', forged(['1']), forged(['2026-13-45T00:00:00.000000Z', 'a']), forged([1, 2])]) {
    await expect(listRecords(database.db, 'payment_intent', { cursor })).rejects.toThrow(CursorError);
  }
});
