import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CheckFacts, focused } from '../../src/domain/checks/check-facts.js';
import { createLog } from '../../src/log.js';
import { crossCheckAll } from '../../src/reconcile/cross-check/cross-check-all.js';
import { crossCheck } from '../../src/reconcile/cross-check.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { at, context, paidIntent, payin, payout, reading, save } from '../records/observed.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { HOUR } from './checked-shop.js';

const rule = vi.hoisted(() => ({ failsFor: 'bad', thrown: (): Error => new TypeError('not as expected') }));
vi.mock(import('../../src/domain/checks/links.js'), async (original) => {
  const { checkLinks } = await original();
  return {
    checkLinks: (facts: CheckFacts) => {
      if (focused(facts, 'payouts').some(({ id }) => id === rule.failsFor)) throw rule.thrown();
      return checkLinks(facts);
    },
  };
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a record whose check throws is logged and checked again in an hour; the others are checked', async () => {
  const { db } = database;
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  let clock = at(HOUR);
  const deps = { db, log, now: () => new Date(clock), adoptedAt: context.adoptedAt };
  const breaks = async () => (await listBreaks(db, { status: 'open' })).items.map(({ entity }) => entity.id).sort();
  const excess = (id: string, intentId: string) =>
    reading('payout', payout(id, { paymentIntentId: intentId, amount: '26', status: 'confirmed' }), 10);
  const ids = Array.from({ length: 40 }, (_, index) => `g${index}`);
  await save(database, [
    ...ids.flatMap((id) => [
      reading('payment_intent', paidIntent(id, `p${id}`), 10),
      reading('payin', payin(`p${id}`, id), 10),
    ]),
    excess('x1', 'g1'),
    reading('payout', payout('bad', { paymentIntentId: null, status: 'confirmed' }), 10),
    excess('x2', 'g39'),
  ]);
  const { checked, opened } = await crossCheck(deps);
  expect(checked).toBeGreaterThan(80);
  expect(opened).toBe(2);
  expect(await breaks()).toEqual(['g1', 'g39']);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, entity: { kind: 'payout', id: 'bad' } }]);
  const planned = await db('check_agenda').where({ entity_kind: 'payout', entity_id: 'bad' });
  expect(planned).toMatchObject([{ due_at: new Date(clock + HOUR * 1000) }]);

  expect(await crossCheck(deps)).toEqual({ checked: 0, opened: 0, resolved: 0 });
  await crossCheckAll(deps, 'payouts');
  expect(lines).toHaveLength(2);
  clock += HOUR * 1000;
  await crossCheck(deps);
  expect(lines).toHaveLength(3);
  rule.failsFor = '';
  clock += HOUR * 1000;
  await crossCheck(deps);
  expect(lines).toHaveLength(3);
  expect(await db('check_agenda').where({ entity_kind: 'payout', entity_id: 'bad', due_at: new Date(clock) })).toEqual(
    [],
  );
});

test('what speaks of the database alone is no record’s doing: nothing is put off', async () => {
  rule.failsFor = 'lost';
  rule.thrown = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const deps = { db: database.db, log, now: () => new Date(at(4 * HOUR)), adoptedAt: context.adoptedAt };
  await save(database, [reading('payout', payout('lost', { status: 'confirmed' }), 10)]);
  await expect(crossCheck(deps)).rejects.toThrow('Connection terminated');
  expect(lines).toEqual([]);
  rule.failsFor = '';
  expect((await crossCheck(deps)).checked).toBeGreaterThan(0);
});
