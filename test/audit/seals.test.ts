import fc from 'fast-check';
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { recordAction } from '../../src/records/actions/record-action.js';
import { checkSeals, sealState } from '../../src/records/audit/seal-checks.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { sealedLogs } from '../../src/records/audit/sealed-logs.js';
import type { Finding } from '../../src/records/audit/verify-head.js';
import { verifySeals } from '../../src/records/audit/verify-seals.js';
import { storePeriodFile } from '../../src/records/books/period-files.js';
import { judgedBalance } from '../support/classified-balance.js';
import { closeMonth } from '../support/closed-month.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const RUNS = process.env['TALLYHOOK_LONG'] === undefined ? 75 : 1_500;
const database = useDatabase();
let db: Knex;
const now = () => new Date();

beforeAll(async () => {
  db = database.db;
  await judgedBalance(db, { assetCode: 'USDT.TRON', opening: '100', balance: '60', now: new Date(at(0)) });
  await savePayouts('0.5', 100);
  await sealRows({ db, now });
  await savePayouts('0.7', 200);
  await postBooks(db);
  await closeMonth(db, '2026-03', async (trx, closing) => {
    const about = { month: '2026-03', closing, format: 'csv' };
    for (const name of ['a.csv', 'b.csv'])
      await storePeriodFile(trx, { ...about, name }, textOf(`the text of ${name}`));
  });
  await db.transaction(async (trx) => {
    const rate = { date: '2026-03-01', asset_code: 'BTC', currency: 'USD', rate: '50', file_hash: 'f', actor: 'a' };
    await trx('given_rates').insert(rate);
    await recordAction(trx, { actor: 'a', action: 'import rates', outcome: 'done' });
  });
  const attribution = { asset_code: 'BTC', amount: '1.5', note: 'n', actor: 'a' };
  await db.transaction(async (trx) => {
    await trx('balance_attributions').insert([attribution, { ...attribution, booked_on: '2026-03-01' }]);
    await recordAction(trx, { actor: 'a', action: 'attribute balance', outcome: 'done' });
  });
  await db.raw(`INSERT INTO break_steps (break_id, action, actor) SELECT id, 'seen', 'ann' FROM breaks`);
  for (const target of ['a', 'b', 'c'])
    await recordAction(db, { actor: 'ann', action: 'look', target, outcome: 'done' });
  await sealRows({ db, now });
}, 120_000);

async function savePayouts(feeAmount: string, second: number): Promise<void> {
  const about = { payoutType: 'withdrawal', amount: '1', feeAmount, feeBearer: 'merchant', status: 'confirmed' };
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-20T10:00:00.000Z', source: 'chain' }];
  await save(
    database,
    Array.from({ length: 12 }, (_, n) => poll('payout', payout(`po_${n}`, { ...about, statusHistory }), second)),
  );
}

async function* textOf(text: string): AsyncGenerator<string> {
  yield text;
}

/** What is found after somebody who owns the database did this; afterwards all is as it was. */
async function foundAfter(sql: string | string[], options: { from?: string; to?: string } = {}): Promise<Finding[]> {
  const findings: Finding[] = [];
  const undo = new Error('undo');
  await db
    .transaction(async (trx) => {
      await trx.raw(`SET LOCAL session_replication_role = replica`);
      for (const one of [sql].flat()) await trx.raw(one);
      await verifySeals(trx, { ...options, onFinding: (finding) => findings.push(finding) });
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return findings;
}

const brief = (findings: Finding[]) => findings.map(({ what, log, seal, from, to }) => ({ what, log, seal, from, to }));
const sealOf = async (log: string, place: string): Promise<string> =>
  (await db('seals').where({ log }).where('until', '>=', place).orderBy('number').first('number')).number;

it('seals every row of every log once, and finds all as it was', async () => {
  const { unsealed } = await sealState(db);
  expect(unsealed.map(({ rows }) => rows)).toEqual(sealedLogs.map(() => 0));
  expect((await sealRows({ db, now })).seals).toBe(0);
  let rows = 0;
  for (const { table } of sealedLogs) {
    const [{ count }] = (await db(table).count()) as [{ count: string }];
    expect([table, Number(count)]).not.toEqual([table, 0]);
    rows += Number(count);
  }
  const verified = await verifySeals(db);
  expect(verified).toMatchObject({ findings: 0, rows, first: '1', isWhole: true });
});

it('finds one byte changed in any column of any row, and names the row', async () => {
  const places = new Map<string, string[]>();
  for (const { table, place } of sealedLogs)
    places.set(table, (await db(table).orderBy(place).pluck(place)).map(String));
  const columns = sealedLogs.flatMap((log) =>
    Object.values(log.columns).flatMap(([column, written]) => (column === log.place ? [] : [{ log, column, written }])),
  );
  const altered = {
    text: (c: string) =>
      `coalesce(CASE WHEN length(${c}) > 0 THEN overlay(${c} PLACING chr(CASE WHEN ascii(right(${c}, 1)) = 120 THEN 121 ELSE 120 END) FROM length(${c})) END, 'x')`,
    whole: (c: string) => `CASE WHEN ${c} IS NULL THEN '999999' ELSE (${c}::text::bigint + 1000003)::text END`,
    decimal: (c: string) => `coalesce(${c} + 0.000000000000000001, 1)`,
    day: (c: string) => `coalesce(${c} + 1, DATE '2026-03-01')`,
    time: (c: string) => `coalesce(${c} + interval '1 microsecond', now())`,
    json: (c: string) => `CASE WHEN ${c} IS NULL THEN 'null'::jsonb ELSE jsonb_build_array(${c}) END`,
  };
  const types: Record<string, string> = { xid: '::text::xid8', version: '::integer', closing: '::integer' };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...columns), fc.nat(), async ({ log, column, written }, n) => {
      const own = places.get(log.table) ?? [];
      const place = own[n % own.length] ?? '';
      const value = altered[written](column);
      const cast = written === 'whole' ? `(${value})${types[column] ?? '::bigint'}` : value;
      const found = await foundAfter([
        `ALTER TABLE ${log.table} DROP CONSTRAINT IF EXISTS entry_rates_check`,
        `DO $$ DECLARE c text; BEGIN FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = '${log.table}'::regclass
           AND contype = 'c' LOOP EXECUTE format('ALTER TABLE ${log.table} DROP CONSTRAINT %I', c); END LOOP; END $$`,
        `UPDATE ${log.table} SET ${column} = ${cast} WHERE ${log.place} = ${place}`,
      ]);
      const rows = brief(found.filter(({ what }) => what !== 'file_changed'));
      expect(rows).toEqual([
        { what: 'row_changed', log: log.name, seal: await sealOf(log.name, place), from: place, to: place },
      ]);
    }),
    { numRuns: RUNS, examples: columns.map((column) => [column, 0] as [typeof column, number]) },
  );
}, 120_000);

it('finds what was done to the lines of an entry and the bytes of a closed month', async () => {
  const id = (await db('entry_lines').max('entry_id as id').first())?.['id'];
  const changed = [expect.objectContaining({ what: 'row_changed', log: 'entries', from: id, to: id })];
  expect(await foundAfter(`UPDATE entry_lines SET amount = amount * 10 WHERE entry_id = ${id}`)).toEqual(changed);
  expect(await foundAfter(`DELETE FROM entry_lines WHERE entry_id = ${id} AND line = 0`)).toEqual(changed);
  const file = await db('period_files').orderBy('id').first();
  const bytes = `UPDATE period_file_parts SET content = set_byte(content, 3, 65) WHERE file_id = ${file.id} AND part = 0`;
  expect(await foundAfter(bytes)).toEqual([expect.objectContaining({ what: 'file_changed', from: file.id })]);
});

it('finds rows that were deleted, added and moved', async () => {
  const [first, second, third, , fifth] = (await db('changes').orderBy('seq').limit(5).pluck('seq')) as string[];
  const seal = await sealOf('changes', first ?? '');
  const placed = (what: string, from = first, to = from) => ({ what, log: 'changes', seal, from, to });
  expect(brief(await foundAfter(`DELETE FROM changes WHERE seq = ${first}`))).toEqual([placed('row_missing')]);
  const three = `DELETE FROM changes WHERE seq IN (${first}, ${second}, ${third}, ${fifth})`;
  expect(brief(await foundAfter(three))).toEqual([placed('row_missing', first, third), placed('row_missing', fifth)]);
  const swap = `UPDATE changes SET seq = CASE seq WHEN ${first} THEN -1 ELSE ${first} END WHERE seq IN (${first}, ${third})`;
  const back = `UPDATE changes SET seq = ${third} WHERE seq = -1`;
  const moved = (from?: string, to?: string) => ({ what: 'row_moved', log: 'changes', seal: null, from, to });
  const both = [placed('row_changed'), placed('row_changed', third), moved(third, first), moved(first, third)];
  const loose = 'ALTER TABLE changes ALTER COLUMN seq DROP IDENTITY, DROP CONSTRAINT changes_pkey';
  expect(brief(await foundAfter([loose, swap, back]))).toEqual(both);
  const columns =
    'xid, entity_kind, entity_id, field, from_value, to_value, source_type, source_ref, service_time, changed_at';
  const insert = `INSERT INTO changes (seq, ${columns}) SELECT -5, ${columns} FROM changes WHERE seq = ${first}`;
  expect(brief(await foundAfter([loose, insert]))).toEqual([placed('row_added', '-5')]);
  const away = `UPDATE changes SET seq = -7 WHERE seq = ${second}`;
  const gone = [placed('row_added', '-7'), placed('row_missing', second), moved(second, '-7')];
  expect(brief(await foundAfter([loose, away]))).toEqual(gone);
  await expect(db('changes').where({ seq: first }).update({ field: 'x' })).rejects.toThrow('append-only');
  for (const { table } of sealedLogs)
    await expect(db.raw(`TRUNCATE ${table} CASCADE`), table).rejects.toThrow('append-only');
});

it('finds a seal that was changed, dropped or made anew, and the last ones gone', async () => {
  const seals = await db('seals').orderBy('number').select('number', 'log', 'hash', 'until', 'after');
  const [last, middle] = [seals.at(-1), seals[3]];
  for (const column of ['log', 'rows_hash', 'previous', 'hash'])
    expect(
      (await foundAfter(`UPDATE seals SET ${column} = ${column} || 'x' WHERE number = ${middle.number}`))[0],
    ).toMatchObject({ seal: middle.number });
  for (const change of [
    'after = after + 1',
    'rows = rows + 1',
    `sealed_at = sealed_at + interval '1 second'`,
    'until = until + 1',
  ])
    expect((await foundAfter(`UPDATE seals SET ${change} WHERE number = ${middle.number}`))[0]).toMatchObject({
      what: 'seal_changed',
      seal: middle.number,
    });
  const byte = `UPDATE seals SET row_hashes = set_byte(row_hashes, 20, (get_byte(row_hashes, 20) + 1) % 256) WHERE number = 1`;
  expect(brief(await foundAfter(byte))).toEqual([
    { what: 'seal_changed', log: 'changes', seal: '1', from: '1', to: '1' },
  ]);
  const dropped = await foundAfter(`DELETE FROM seals WHERE number = ${middle.number}`);
  expect(dropped[0]).toMatchObject({ what: 'seal_missing', seal: middle.number });
  const [next] = seals.slice(4);
  const two = await foundAfter(`DELETE FROM seals WHERE number IN (${middle.number}, ${next.number})`);
  expect(brief(two)[0]).toMatchObject({ what: 'seal_missing', from: middle.number, to: next.number });
  const tail = await foundAfter(`DELETE FROM seals WHERE number >= ${last.number}`);
  expect(brief(tail)).toMatchObject([{ what: 'seal_missing', from: last.number, to: last.number }]);
});

it('finds the last seals, their rows and the row that names them gone together, by what was seen before', async () => {
  expect((await checkSeals({ db, now }, { actor: 'ann' })).findings).toBe(0);
  const last = await db('seals').orderBy('number', 'desc').first('number', 'log', 'after', 'hash');
  const before = await db('seals')
    .where({ number: last.number - 1 })
    .first('hash');
  const cut = [
    `DELETE FROM ${last.log} WHERE id > ${last.after}`,
    `DELETE FROM seals WHERE number = ${last.number}`,
    `UPDATE seal_head SET number = ${last.number - 1}, hash = '${before.hash}'`,
  ];
  expect(await foundAfter(cut)).toMatchObject([{ what: 'seal_missing', seal: last.number }]);
  const nobodyChecked = [...cut, 'DELETE FROM seal_checks'];
  expect(await foundAfter(nobodyChecked)).toEqual([]);
  const findings: Finding[] = [];
  await verifySeals(db, {
    expected: [{ number: last.number, hash: 'f'.repeat(64) }],
    onFinding: (one) => findings.push(one),
  });
  expect(findings).toMatchObject([{ what: 'seal_changed', seal: last.number }]);
});

it('says nothing of what is outside the range that was asked for', async () => {
  const first = (await db('changes').min('seq as seq').first())?.['seq'];
  const change = `UPDATE changes SET field = 'x' WHERE seq = ${first}`;
  expect(await foundAfter(change, { from: '2' })).toEqual([]);
  expect(await foundAfter(change, { to: '1' })).toHaveLength(1);
});

it('waits for rows that another transaction may still add below', async () => {
  const slow = await db.transaction();
  await recordAction(slow, { actor: 'slow', action: 'look', outcome: 'done' });
  await recordAction(db, { actor: 'fast', action: 'look', outcome: 'done' });
  expect((await sealRows({ db, now })).rows).toBe(0);
  expect((await sealState(db)).unsealed.find(({ log }) => log === 'actions')?.rows).toBe(1);
  await slow.commit();
  expect((await sealRows({ db, now })).rows).toBe(2);
  expect((await verifySeals(db)).findings).toBe(0);
  await Promise.all(
    [1, 2, 3, 4].map(async (n) => {
      await recordAction(db, { actor: `at once ${n}`, action: 'look', outcome: 'done' });
      await sealRows({ db, now });
    }),
  );
  await sealRows({ db, now });
  expect((await verifySeals(db)).findings).toBe(0);
});
