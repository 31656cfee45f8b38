import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadDayMoney } from '../../src/records/books/day-money.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { sized } from '../support/sizes.js';

const database = resettableDatabase();
const NOW = new Date('2026-03-09T10:30:00Z');

/** Hours of the three days, what goes on of them, and others. */
const times = ['09T10:10', '09T09:10', '09T09:50', '08T09:10', '08T10:10', '08T10:40', '02T00:00', '05T12:00'].map(
  (at) => `'2026-03-${at}:00Z'`,
);
const payments = ['pi_1', 'pi_2', 'pi_3'];
const references = ['order-1', 'order-2'];
const literal = (...values: readonly (string | null)[]) =>
  fc.constantFrom(...values.map((value) => (value === null ? 'NULL' : `'${value}'`)));
const flag = fc.constantFrom('true', 'false');
/** Mostly the first: few facts keep a record from counting. */
const mostly = (usual: string, ...others: readonly string[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, ...others.map((other) => fc.constant(other)));
const time = fc.constantFrom(...times, 'NULL');
const absent = mostly('NULL', 'now()');
const invoices = ['inv_1', 'inv_2'];

const columns = {
  payins: {
    created_at: time,
    asset_code: literal('BTC', 'BTC', 'ETH', null),
    payment_intent_id: literal(...payments, null),
    status: mostly(`'confirmed'`, `'pending'`),
    verified: mostly('true', 'false'),
    doubted: mostly('false', 'true'),
    absent_since: absent,
    shown: literal('{"amountGross":"1.5"}', '{"amountGross":"2"}', '{}'),
  },
  payouts: {
    created_at: time,
    asset_code: literal('BTC', null),
    payout_type: literal('Refund', 'refund', 'withdrawal', null),
    amount: fc.constantFrom('1', '2.25', 'NULL'),
    status: mostly(`'confirmed'`, `'failed'`),
    verified: mostly('true', 'false'),
    doubted: mostly('false', 'true'),
    absent_since: absent,
  },
  payment_intents: {
    merchant_reference: literal(...references, '', null),
    invoice_id: literal(...invoices, null),
    known: flag,
  },
  invoices: {
    merchant_reference: literal(...references, null),
    payment_intent_id: literal(...payments, null),
    absent_since: absent,
    own_call: literal('{}', null),
  },
  orders: { status: literal('paid', 'refunded', 'shared_reference'), release_safe: flag },
} as const;
const ids = {
  payins: ['in_1', 'in_2', 'in_3', 'in_4'],
  payouts: ['po_1', 'po_2'],
  payment_intents: payments,
  invoices,
  orders: references,
};

type Table = keyof typeof columns;
const keyOf = (table: Table): string => (table === 'orders' ? 'reference' : 'id');

/** A row that comes, changes in one column, or goes. */
const step = fc
  .constantFrom<Table>('payins', 'payins', 'payins', 'payouts', 'payment_intents', 'invoices', 'orders')
  .chain((table) => {
    const row = fc.record<Record<string, string>>(columns[table]);
    return fc
      .tuple(fc.constantFrom(...ids[table]), row, fc.constantFrom(...Object.keys(columns[table])), fc.nat(9))
      .map(([id, values, column, what]) => statementOf(table, { id, values, column, what }));
  });

function statementOf(
  table: Table,
  { id, values, column, what }: { id: string; values: Record<string, string>; column: string; what: number },
): string {
  const where = `WHERE ${keyOf(table)} = '${id}'`;
  if (what === 0) return `DELETE FROM ${table} ${where}`;
  if (what > 4) return `UPDATE ${table} SET ${column} = ${values[column]} ${where}`;
  const common =
    table === 'orders'
      ? { release_reason: `'proven'` }
      : {
          verified: 'true',
          shown: `'{}'`,
          claims: `'[]'`,
          observed_at: 'now()',
          observed_by_type: `'poll'`,
          observed_by_ref: `'1'`,
        };
  const all = { [keyOf(table)]: `'${id}'`, ...common, ...values };
  return `INSERT INTO ${table} (${Object.keys(all).join()}) VALUES (${Object.values(all).join()}) ON CONFLICT DO NOTHING`;
}

/** One that counts. */
const came = (id: string) =>
  statementOf('payins', {
    id,
    values: {
      created_at: `'2026-03-09T09:10:00Z'`,
      asset_code: `'BTC'`,
      payment_intent_id: `'pi_1'`,
      status: `'confirmed'`,
      shown: `'{"amountGross":"1.5"}'`,
    },
    column: '',
    what: 1,
  });

const money = async () => {
  const { at: _, ...found } = await loadDayMoney(database.db, NOW, ['refund']);
  return found;
};

test('law: what is added up by the hour is what the records say, whatever came, changed or went, late or corrected', async () => {
  const { db } = database;
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), fc.nat(3), async (steps, every) => {
      await db('payins').delete();
      for (const [n, statement] of [...ids.payins.map(came), ...steps].entries()) {
        await db.raw(statement.replaceAll('?', '\\?'));
        if (n % (every + 1) > 0) continue;
        await money();
        // As if they had stood for long.
        await db('money_marks').delete();
      }
      const kept = await money();
      await db('money_known').delete();
      expect(kept).toEqual(await money());
      moved += kept.assets.length;
    }),
    { numRuns: sized(25, 400) },
  );
  expect(moved).toBeGreaterThan(10);
}, 240_000);

test('an hour is read record by record once, and again only after one of its records was saved', async () => {
  const { db } = database;
  const hours = async () => (await db('money_known').orderBy('hour').pluck('hour')).length;
  await money();
  // Whole hours of today, yesterday and a week ago.
  expect(await hours()).toBe(30);
  await db.raw(
    `INSERT INTO payins (id, created_at, asset_code, payment_intent_id, status, verified, shown, observed_at, observed_by_type, observed_by_ref)
     VALUES ('in_9', '2026-03-09T09:10:00Z', 'BTC', 'pi_1', 'confirmed', true, '{"amountGross":"1.5"}', now(), 'poll', '1')`,
  );
  await db.raw(`UPDATE money_marks SET at = now() - interval '6 minutes'`);
  expect((await money()).assets[0]?.today.received).toBe('1.5');
  expect(await db('money_marks').pluck('id')).toEqual([]);
  await db.raw(`UPDATE payins SET observed_at = now(), observed_by_ref = '2'`);
  expect(await db('money_marks').pluck('id')).toEqual([]);
});

test('who reads while another saves does not keep what the other has not committed', async () => {
  const { db } = database;
  await money();
  const saver = await db.transaction();
  await saver.raw(
    `INSERT INTO payouts (id, created_at, asset_code, payout_type, amount, status, verified, shown, observed_at, observed_by_type, observed_by_ref)
     VALUES ('po_9', '2026-03-09T09:10:00Z', 'BTC', 'refund', 3, 'confirmed', true, '{}', now(), 'poll', '1')`,
  );
  expect((await money()).assets).toEqual([]);
  await saver.commit();
  expect((await money()).assets[0]?.today.returned).toBe('3');
});

test('an invoice that is given another reference moves the money of its payment to that order', async () => {
  const { db } = database;
  const record = { verified: true, shown: '{}', observed_at: NOW, observed_by_type: 'poll', observed_by_ref: '1' };
  const order = { status: 'paid', release_reason: 'proven' };
  await db('orders').insert([
    { ...order, reference: 'order-1', release_safe: true },
    { ...order, reference: 'order-2', release_safe: false },
  ]);
  await db('payment_intents').insert({ ...record, id: 'pi_1', invoice_id: 'inv_1' });
  const created_at = new Date('2026-03-09T09:10:00Z');
  const came = { payment_intent_id: 'pi_1', status: 'confirmed', asset_code: 'BTC', shown: '{"amountGross":"2"}' };
  await db('payins').insert({ ...record, ...came, id: 'in_1', created_at });
  const kept = async () => {
    const { released, waiting, other } = (await money()).assets[0]?.today ?? {};
    await db('money_marks').delete();
    return [released, waiting, other];
  };
  expect(await kept()).toEqual(['0', '0', '2']);
  await db('invoices').insert({ ...record, id: 'inv_1', merchant_reference: 'order-1' });
  expect(await kept()).toEqual(['2', '0', '0']);
  await db('invoices').update({ merchant_reference: 'order-2' });
  expect(await kept()).toEqual(['0', '2', '0']);
  await db('invoices').update({ absent_since: NOW });
  expect(await kept()).toEqual(['0', '0', '2']);
  // Linked from its own side alone.
  await db('payment_intents').update({ invoice_id: null });
  await db('invoices').update({ absent_since: null });
  expect(await kept()).toEqual(['0', '0', '2']);
  await db('invoices').update({ payment_intent_id: 'pi_1' });
  expect(await kept()).toEqual(['0', '2', '0']);
});
