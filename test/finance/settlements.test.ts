import { beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import {
  followSettlements,
  getSettlement,
  listSettlements,
  markSettlement,
  type SettlementMark,
} from '../../src/records/books/settlements.js';
import { unclosedBreaks } from '../../src/records/breaks/break-money.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { at, poll } from '../support/observations.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { save } from '../support/saved.js';
import { showRates } from '../support/shown-rates.js';

const ASSET = 'USDT.TRON';
const database = resettableDatabase();
const books = { table: defaultContract.movements, timeZone: 'UTC', currency: 'USD', settlementDays: 5 };
const NOW = new Date('2026-03-20T12:00:00Z');
const settled = (id: string, day: string, fields: JsonObject = {}) =>
  poll(
    'payout',
    payout(id, {
      payoutType: 'settlement',
      feeBearer: 'merchant',
      amount: '100',
      status: 'confirmed',
      statusHistory: [{ status: 'confirmed', timestamp: `2026-03-${day}T10:00:00.000Z` }],
      createdAt: `2026-03-${day}T09:00:00.000Z`,
      ...fields,
    }),
    100,
  );

beforeEach(async () => {
  const { db } = database;
  await judgedBalance(db, { assetCode: ASSET, opening: '1000', balance: '1000', now: new Date(at(0)) });
  await showRates(db, [
    { assetCode: ASSET, rate: '0.99', at: Date.parse('2026-03-10T00:00:00Z') },
    { assetCode: ASSET, rate: '0.98', at: Date.parse('2026-03-18T09:00:00Z') },
  ]);
  await save(database, [
    settled('po_old', '10'),
    settled('po_new', '18'),
    settled('po_way', '19', { status: 'pending', statusHistory: [] }),
    settled('po_other', '10', { payoutType: 'withdrawal' }),
  ]);
  await postBooks(db);
});

const list = async (arrived?: string) =>
  (await listSettlements(database.db, books, { arrived }, NOW)).items.map(({ payoutId, state }) => [payoutId, state]);
const openKinds = async () =>
  (await listBreaks(database.db, { status: 'open' })).items
    .filter(({ kind }) => kind.startsWith('settlement_'))
    .map(({ kind, entity }) => [kind, entity.id]);
const mark = (payoutId: string, amount: string | null, more: Partial<SettlementMark> = {}) =>
  markSettlement(database.db, { payoutId, amount, note: 'see the statement', actor: 'ann', ...more }, books, NOW);

it('is listed with what it was worth on its day, its age, and whether it is late, which is a break', async () => {
  expect(await list()).toEqual([
    ['po_way', 'under_way'],
    ['po_new', 'waiting'],
    ['po_old', 'late'],
  ]);
  expect(await getSettlement(database.db, books, 'po_old', NOW)).toMatchObject({
    expected: '99.00',
    currency: 'USD',
    settledOn: '2026-03-10',
    ageDays: 10,
    arrival: null,
  });
  expect(await getSettlement(database.db, books, 'po_other', NOW)).toBeNull();
  expect(await followSettlements(database.db, books, NOW)).toBe(1);
  expect(await followSettlements(database.db, books, NOW)).toBe(0);
  expect(await openKinds()).toEqual([['settlement_late', 'po_old']]);
});

it('is history where it is older than the adoption, neither late nor a break: nobody marked it then', async () => {
  const adopted = (at: string) => ({ adopted_at: new Date(at), service_base_url: 'http://127.0.0.1:9' });
  await database.db('installation').insert(adopted('2026-03-11T00:00:00Z'));
  expect(await list()).toContainEqual(['po_old', 'history']);
  expect(await followSettlements(database.db, books, NOW)).toBe(0);
  await database.db.transaction(async (trx) => {
    // Past the trigger that keeps the date.
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx('installation').update(adopted('2026-03-09T00:00:00Z'));
  });
  expect(await list()).toContainEqual(['po_old', 'late']);
  expect(await followSettlements(database.db, books, NOW)).toBe(1);
});

it('arrives as finance says, and what is missing is fees or a break, until it is said anew', async () => {
  await followSettlements(database.db, books, NOW);
  expect(await mark('po_old', '97.5')).toEqual({ outcome: 'refused', why: expect.stringContaining('1.5 less than') });
  expect(await openKinds()).toEqual([['settlement_late', 'po_old']]);
  const short = await mark('po_old', '97.5', { on: '2026-03-13', difference: 'unexplained', reference: 'R 1' });
  expect(short).toMatchObject({ outcome: 'done', settlement: { state: 'short', missing: '1.5', ageDays: 3 } });
  expect(await openKinds()).toEqual([['settlement_short', 'po_old']]);
  expect(await list('no')).toContainEqual(['po_old', 'short']);
  expect(await list('yes')).toEqual([]);
  expect(await mark('po_old', '97.5', { on: '2026-03-13', difference: 'fees' })).toMatchObject({
    settlement: { state: 'arrived', arrival: { difference: 'fees', by: 'ann' } },
  });
  expect(await openKinds()).toEqual([]);
  expect(await list('yes')).toEqual([['po_old', 'arrived']]);
  expect(await list('no')).toEqual([
    ['po_way', 'under_way'],
    ['po_new', 'waiting'],
  ]);
  expect(await mark('po_old', null)).toMatchObject({ settlement: { state: 'late', arrival: null } });
  expect(await followSettlements(database.db, books, NOW)).toBe(1);
  expect(await openKinds()).toEqual([['settlement_late', 'po_old']]);
  const actions = await database.db('actions').where({ action: 'mark settlement' }).orderBy('id').pluck('outcome');
  expect(actions).toEqual(['refused', 'done', 'done', 'done']);
});

it('counts by its newest mark: marks that somebody put in another order are named', async () => {
  const { db } = database;
  await mark('po_old', '99', { on: '2026-03-13' });
  await mark('po_old', null);
  expect(await bookFindings(db)).toEqual([]);
  const [first, second]: string[] = await db('settlement_arrivals').orderBy('id').pluck('id');
  const trx = await db.transaction();
  await trx.raw('SET LOCAL session_replication_role = replica');
  await trx.raw('ALTER TABLE settlement_arrivals ALTER COLUMN id DROP IDENTITY');
  await trx.raw('UPDATE settlement_arrivals SET id = ? WHERE id = ?', [Number(second) + 1, first ?? '']);
  const told = await bookFindings(trx);
  await trx.rollback();
  const named = (id: string | number) =>
    `action_missing: row ${id} of settlement_arrivals has no action that it came with`;
  expect(told).toEqual([named(second ?? ''), named(Number(second) + 1)]);
});

it('asks what is too much, as it asks what is missing: unexplained, it is a break; one of the last decimal is a rounding', async () => {
  const over = await mark('po_old', '990', { on: '2026-03-13', difference: 'unexplained' });
  expect(over).toMatchObject({ outcome: 'done', settlement: { state: 'over', missing: '-891' } });
  expect(await openKinds()).toEqual([['settlement_over', 'po_old']]);
  const [risk] = (await unclosedBreaks(database.db, new Date())).filter(({ kind }) => kind === 'settlement_over');
  expect(risk?.money).toEqual([{ currency: 'USD', amount: '891' }]);
  expect(await mark('po_old', '99.01', { on: '2026-03-13' })).toMatchObject({ settlement: { state: 'arrived' } });
  expect(await openKinds()).toEqual([]);
});

it('stays closed where a person closed its break, though nothing arrived', async () => {
  await followSettlements(database.db, books, NOW);
  await database.db('breaks').where({ kind: 'settlement_late' }).update({ status: 'written_off', resolved_at: NOW });
  expect(await followSettlements(database.db, books, NOW)).toBe(0);
});

it('is late also where nothing is booked of it', async () => {
  await save(database, [settled('po_unbooked', '11', { feeBearer: null })]);
  expect(await getSettlement(database.db, books, 'po_unbooked', NOW)).toMatchObject({ state: 'late', expected: null });
  expect(await mark('po_unbooked', '50')).toMatchObject({ settlement: { state: 'arrived', missing: null } });
});

it.each<[why: string, payout: string, amount: string | null, more: Partial<SettlementMark>]>([
  ['no amount', 'po_old', '12,50', {}],
  ['no currency', 'po_old', '99', { currency: 'eur' }],
  ['no day', 'po_old', '99', { on: '2026-02-30' }],
  ['yet to come', 'po_old', '99', { on: '2026-03-21' }],
  ['before 2026-03-10, when it was settled', 'po_old', '99', { on: '2026-03-09' }],
  ['nothing of it can have arrived', 'po_way', '99', {}],
  ['no difference is known', 'po_old', '99', { difference: 'fees' }],
  ['21 more than expected arrived: say', 'po_old', '120', {}],
  ['that is no fee', 'po_old', '120', { difference: 'fees' }],
  ['nothing to take back', 'po_old', null, {}],
])('refuses, and keeps nothing: %s', async (why, id, amount, more) => {
  expect(await mark(id, amount, more)).toEqual({ outcome: 'refused', why: expect.stringContaining(why) });
  expect(await database.db('settlement_arrivals')).toEqual([]);
});

it('refuses the reference that stands for another settlement, until that is taken back', async () => {
  const said = { on: '2026-03-19', reference: 'SETTLE 4711' };
  expect(await mark('po_old', '99', said)).toMatchObject({ outcome: 'done' });
  expect(await mark('po_old', '99', said)).toMatchObject({ outcome: 'done' });
  const why = 'the reference "SETTLE 4711" is that of settlement "po_old" already';
  expect(await mark('po_new', '98', said)).toEqual({ outcome: 'refused', why });
  expect(await mark('po_old', null)).toMatchObject({ outcome: 'done' });
  expect(await mark('po_new', '98', said)).toMatchObject({ outcome: 'done' });
});

it('risks, as a break, what is missing of it in money: all of one that is late, the rest of one that is short', async () => {
  const atRisk = async () => (await unclosedBreaks(database.db, new Date())).map(({ kind, money }) => [kind, money]);
  await database.db('breaks').whereNot({ kind: 'settlement_late' }).update({ status: 'resolved', resolved_at: NOW });
  await save(database, [settled('po_soon', '10', { feeBearer: null })]);
  await followSettlements(database.db, books, NOW);
  // Of one that is not booked yet the service says the crypto alone.
  const soon = { currency: ASSET, amount: '100' };
  expect(await atRisk()).toEqual([['settlement_late', [{ currency: 'USD', amount: '99' }, soon].toSorted(byCurrency)]]);
  await save(database, [settled('po_soon', '10', { updatedAt: '2026-03-20T11:00:00.000Z' })]);
  await postBooks(database.db);
  expect(await followSettlements(database.db, books, NOW)).toBe(0);
  expect(await atRisk()).toEqual([['settlement_late', [{ currency: 'USD', amount: '198' }]]]);
  const { items } = await listBreaks(database.db, { kind: 'settlement_late' });
  for (const { evidence } of items) expect(evidence).toMatchObject({ ours: { expected: '99.00', currency: 'USD' } });
  await mark('po_old', '97.5', { on: '2026-03-13', difference: 'unexplained' });
  await mark('po_soon', '99', { on: '2026-03-13' });
  expect(await atRisk()).toEqual([['settlement_short', [{ currency: 'USD', amount: '1.5' }]]]);
});
const byCurrency = (a: { currency: string }, b: { currency: string }) => (a.currency < b.currency ? -1 : 1);

it('knows no settlement but those that the service shows', async () => {
  for (const id of ['po_other', 'po_none']) expect(await mark(id, '1')).toEqual({ outcome: 'not_found' });
});
