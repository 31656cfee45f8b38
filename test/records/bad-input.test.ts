import { LosslessNumber, parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { type JsonObject, toJsonText } from '../../src/domain/json.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { CursorError } from '../../src/records/database/paging.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { getRecord, listRecords } from '../../src/records/rows.js';
import { useDatabase } from '../support/database.js';
import { poll, report } from '../support/observations.js';
import { intent, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

async function openBreaksOf(id: string): Promise<string[]> {
  const { items } = await listBreaks(database.db, { status: 'open', entityId: id });
  return items.map(({ kind, severity }) => `${kind} ${severity}`);
}

const badAmounts = [
  new LosslessNumber('25'),
  '1e3',
  '-1',
  'NaN',
  '1'.repeat(19),
  `0.${'1'.repeat(19)}`,
  '',
  '0x10',
  true,
  ['1'],
];

test('an event with an amount that is no decimal string is not applied: it asks for a reading, and a critical break opens', async () => {
  const saved = await save(
    database,
    badAmounts.map((amountRequested, index) =>
      report('payment_intent', `c${index}`, intent(`c${index}`, { status: 'completed', amountRequested }), 0),
    ),
  );
  expect(saved.breaksOpened).toBe(badAmounts.length);
  for (const index of badAmounts.keys()) {
    const id = `c${index}`;
    expect(await getRecord(database.db, 'payment_intent', id)).not.toHaveProperty('status');
    expect(await openBreaksOf(id)).toEqual(['contract_violation critical']);
    expect(await database.db('reading_marks').where({ id })).toHaveLength(1);
    expect(await getOrder(database.db, `order-${id}`)).toBeNull();
  }
  await save(database, [poll('payment_intent', intent('c0'), 10)]);
  expect(await openBreaksOf('c0')).toEqual([]);
});

test('a reading with such amounts is kept as it came, breaks nothing beside it, and its order is not safe', async () => {
  const odd = badAmounts.map((feeAmountTotal, index) => paidIntent(`r${index}`, `pr${index}`, { feeAmountTotal }));
  await save(database, [
    ...odd.map((fields) => poll('payment_intent', fields, 0)),
    ...odd.map((_, index) => poll('payin', payin(`pr${index}`, `r${index}`), 0)),
    poll('payment_intent', intent('beside'), 0),
  ]);
  expect(await getRecord(database.db, 'payment_intent', 'beside')).toMatchObject({ verified: true });
  for (const [index, feeAmountTotal] of badAmounts.entries()) {
    expect(await getRecord(database.db, 'payment_intent', `r${index}`)).toMatchObject({
      feeAmountTotal,
      verified: true,
    });
    expect(await openBreaksOf(`r${index}`)).toEqual(['contract_violation low']);
    expect(await getOrder(database.db, `order-r${index}`)).toMatchObject({
      release: { safe: false, reason: 'amount_unreadable' },
    });
  }
});

test('a requested amount of any kind never breaks the column', async () => {
  await save(
    database,
    badAmounts.map((amountRequested, index) => poll('payment_intent', intent(`q${index}`, { amountRequested }), 0)),
  );
  await save(database, [
    poll('payment_intent', intent('q-long', { amountRequested: `${'9'.repeat(18)}.${'9'.repeat(18)}` }), 0),
  ]);
  const stored = await database.db('payment_intents').where('id', 'like', 'q%').pluck('amount_requested');
  expect(stored.filter((amount) => amount !== null)).toEqual([`${'9'.repeat(18)}.${'9'.repeat(18)}`]);
});

test('a state that the specification does not list is shown as it is, with one low break per value, ever', async () => {
  const saved = await save(database, [
    poll('payment_intent', intent('s1', { status: 'on_ice' }), 0),
    poll('payment_intent', intent('s2', { status: 'on_ice', irregularStatus: 'appealed' }), 0),
  ]);
  expect(saved.breaksOpened).toBe(2);
  expect(await getRecord(database.db, 'payment_intent', 's1')).toMatchObject({ status: 'on_ice', verified: true });
  expect(await openBreaksOf('status=on_ice')).toEqual(['contract_violation low']);
  const implied = [
    poll('payout', payout('s4', { status: 'broadcast' }), 0),
    poll('payin', payin('s5', 's1', { status: 'screening' }), 0),
  ];
  expect((await save(database, implied)).breaksOpened).toBe(0);
  await database.db('breaks').update({ status: 'resolved' });
  expect((await save(database, [poll('payment_intent', intent('s3', { status: 'on_ice' }), 0)])).breaksOpened).toBe(0);
});

test('an id that no row can hold is reported, and the rest is saved', async () => {
  const long = 'x'.repeat(2000);
  const saved = await save(database, [
    poll('payment_intent', intent(long), 0),
    report('payment_intent', '', { status: 'completed' }, 0),
    poll('payment_intent', intent('fine'), 0),
  ]);
  expect(saved).toMatchObject({ changed: 1, breaksOpened: 2 });
  expect(await getRecord(database.db, 'payment_intent', 'fine')).toMatchObject({ verified: true });
});

test('texts too long for an index are kept in the record', async () => {
  const long = 'é'.repeat(20_000);
  const fields = intent('long', { merchantReference: long, status: long, invoiceId: long, productId: long });
  await save(database, [poll('payment_intent', fields, 0), poll('payin', payin('long-payin', long), 0)]);
  expect(await getRecord(database.db, 'payment_intent', 'long')).toMatchObject({
    merchantReference: long,
    status: long,
  });
});

test('whatever stands in the fields survives: __proto__, numbers of 100 digits, control characters, odd dates', async () => {
  const digits = '9'.repeat(100);
  const fields = parse(
    `{"id":"odd","status":5,"merchantReference":{"a":1},"irregularStatus":[],"createdAt":"2026-02-30T25:00:00Z",` +
      `"__proto__":{"polluted":true},"constructor":"x","confirmations":${digits},"exp":1e999,"minus":-0.0,` +
      `"payins":[null,5,"x",{"id":7},{"id":""},{"id":"\\u0000"}],"note":"\\u0000 \\ud800 \\u2028 \\" \\\\"}`,
  ) as JsonObject;
  await save(database, [poll('payment_intent', fields, 0), report('payment_intent', 'odd2', fields, 0)]);
  await save(database, [poll('payment_intent', fields, 5)]);
  const shown = await getRecord(database.db, 'payment_intent', 'odd');
  expect(Object.hasOwn(shown ?? {}, '__proto__')).toBe(true);
  expect(shown).toMatchObject({ constructor: 'x', note: '\0 \ud800 \u2028 " \\' });
  expect(toJsonText([shown?.['confirmations'], shown?.['exp'], shown?.['minus']])).toBe(`[${digits},1e999,-0.0]`);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect((await listRecords(database.db, 'payment_intent', { take: 500 })).items.length).toBeGreaterThan(0);
});

test('a cursor beyond what an id can be is none of ours', async () => {
  const cursor = Buffer.from(JSON.stringify(['9'.repeat(19)])).toString('base64url');
  await expect(listBreaks(database.db, { cursor })).rejects.toThrow(CursorError);
});
