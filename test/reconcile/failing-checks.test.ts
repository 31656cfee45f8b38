import { expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { crossCheck } from '../../src/reconcile/cross-check/cross-check.js';
import { goOn } from '../../src/reconcile/cross-check/go-round.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { useDatabase } from '../support/database.js';
import { at, poll, readPaid } from '../support/observations.js';
import { paidIntent, payout } from '../support/records.js';
import { context, save } from '../support/saved.js';
import { HOUR } from './checked-shop.js';

const database = useDatabase();

/** Makes the database refuse each break about this record, with this SQLSTATE; null: no more. */
async function refuseBreaksAbout(id: string, code: string | null): Promise<void> {
  const { db } = database;
  await db.raw('DROP TRIGGER IF EXISTS refuse ON breaks');
  if (code === null) return;
  await db.raw(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'refused' USING ERRCODE = TG_ARGV[0]; END $$`);
  await db.raw(
    `CREATE TRIGGER refuse BEFORE INSERT ON breaks FOR EACH ROW WHEN (NEW.entity_id = '${id}') EXECUTE FUNCTION refuse('${code}')`,
  );
}

test('a record whose check throws is logged and checked again in an hour; the others are checked', async () => {
  const { db } = database;
  const lines: string[] = [];
  const log = createLog('error', { write: (line) => void lines.push(line) });
  const failed = () => lines.splice(0).map((line) => (JSON.parse(line) as { entity: { id: string } }).entity.id);
  let clock = at(HOUR);
  const deps = { db, log, now: () => new Date(clock), adoptedAt: context.adoptedAt };
  const breaks = async () => (await listBreaks(db, { status: 'open' })).items.map(({ entity }) => entity.id).sort();
  const excess = (id: string, intentId: string) =>
    poll('payout', payout(id, { paymentIntentId: intentId, amount: '26', status: 'confirmed' }), 10);
  const ids = Array.from({ length: 40 }, (_, index) => `g${index}`);
  await save(database, [
    ...ids.flatMap((id) => readPaid(id)),
    excess('x1', 'g1'),
    excess('x2', 'g39'),
    excess('x3', 'g20'),
  ]);
  await refuseBreaksAbout('g20', '22000');
  const { checked, opened } = await crossCheck(deps);
  expect(checked).toBeGreaterThan(80);
  expect(opened).toBe(2);
  expect(await breaks()).toEqual(['g1', 'g39']);
  const failing = ['in_g20', 'g20', 'x3'];
  expect(failed()).toEqual(failing);
  const planned = db('check_agenda').whereIn('entity_id', failing).pluck('due_at');
  expect(await planned.clone()).toEqual(failing.map(() => new Date(clock + HOUR * 1000)));

  expect(await crossCheck(deps)).toEqual({ checked: 0, opened: 0, resolved: 0 });
  await goOn(deps, 'payouts');
  expect(failed()).toEqual(['x3']);
  clock += HOUR * 1000;
  await crossCheck(deps);
  expect(failed()).toEqual(failing);
  await refuseBreaksAbout('g20', null);
  clock += HOUR * 1000;
  await crossCheck(deps);
  expect(failed()).toEqual([]);
  expect(await breaks()).toEqual(['g1', 'g20', 'g39']);
  expect(await planned.clone().where('due_at', '<=', new Date(clock))).toEqual([]);
});

test('what speaks of the database alone is no record’s doing: nothing is put off', async () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const deps = { db: database.db, log, now: () => new Date(at(4 * HOUR)), adoptedAt: context.adoptedAt };
  await save(database, [
    poll('payment_intent', paidIntent('g40', 'p40'), 10),
    poll('payout', payout('x4', { paymentIntentId: 'g40', amount: '26', status: 'confirmed' }), 10),
  ]);
  await refuseBreaksAbout('g40', '57P01');
  await expect(crossCheck(deps)).rejects.toThrow('refused');
  expect(lines).toEqual([]);
  await refuseBreaksAbout('g40', null);
  expect((await crossCheck(deps)).checked).toBeGreaterThan(0);
});
