import type { Knex } from 'knex';
import { pino } from 'pino';
import { beforeEach, expect, it, vi } from 'vitest';
import { createSealing } from '../../src/finance/audit/sealing-loop.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { loadAlertFacts } from '../../src/records/alerts/load-alert-facts.js';
import { checkSeals, decidingSealCheck, sealState } from '../../src/records/audit/seal-checks.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import type { Finding } from '../../src/records/audit/verify-head.js';
import { verifySeals } from '../../src/records/audit/verify-seals.js';
import { checkSealing } from '../../src/wiring/doctor/check-installation.js';
import { resettableDatabase } from '../support/resettable-database.js';

const log = pino({ level: 'silent' });
const now = () => new Date();
const DAY_MS = 86_400_000;
const database = resettableDatabase();
let db: Knex;
beforeEach(async () => {
  db = database.db;
  for (let n = 0; n < 3; n += 1) {
    await recordAction(db, { actor: 'ann', action: 'look', outcome: 'done' });
    await sealRows({ db, now });
  }
}, 60_000);

const check = (options = {}) => checkSeals({ db, now }, { actor: 'ann', ...options });
const factsAt = async (at = now()) => (await loadAlertFacts(db, { now: at, runEverySeconds: {} })).seals;
const doctorSays = async () =>
  (await checkSealing({ db, now } as Parameters<typeof checkSealing>[0])).map(({ status }) => status);

/** As somebody who owns the database would. */
async function change(sql: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(sql);
  });
}

it('keeps saying what was found until all is verified and well, whatever part is', async () => {
  await change(`UPDATE actions SET actor = 'bob' WHERE id = (SELECT min(id) FROM actions)`);
  expect(await check()).toMatchObject({ findings: 1, isWhole: true });
  expect((await check({ from: '2' })).findings).toBe(0);
  expect(await decidingSealCheck(db)).toMatchObject({ findings: 1, isWhole: true });
  expect((await factsAt()).findings).toBe(1);
  expect(await doctorSays()).toEqual(['ok', 'finding']);
  await change(`UPDATE actions SET actor = 'ann'`);
  await check();
  await check({ from: '2' });
  expect(await decidingSealCheck(db)).toMatchObject({ findings: 0, isWhole: true });
  await change(`UPDATE actions SET actor = 'bob'`);
  expect((await check({ from: '3' })).findings).toBe(1);
  expect((await check({ to: '0' })).findings).toBe(0);
  expect(await decidingSealCheck(db)).toMatchObject({ findings: 1, isWhole: false });
});

it('does not keep what only a seal kept elsewhere names, and does not call it well', async () => {
  const expected = [{ number: '2', hash: 'f'.repeat(64) }];
  expect(await check({ expected })).toMatchObject({ findings: 1, unexpected: 1 });
  expect(await decidingSealCheck(db)).toBeNull();
  await change(`UPDATE actions SET actor = 'bob' WHERE id = (SELECT min(id) FROM actions)`);
  expect(await check({ expected })).toMatchObject({ findings: 2, unexpected: 1 });
  expect(await decidingSealCheck(db)).toMatchObject({ findings: 1, firstFinding: expect.stringContaining('row') });
});

it.each(['294276-12-31', '4713-01-01 BC', 'infinity', '-infinity'])('finds a row with the time %s', async (time) => {
  await change(`UPDATE actions SET at = '${time}' WHERE id = (SELECT max(id) FROM actions)`);
  const found: Finding[] = [];
  await verifySeals(db, { onFinding: (finding) => found.push(finding) });
  expect(found).toMatchObject([{ what: 'row_changed', log: 'actions' }]);
  await change(`INSERT INTO actions (at, actor, action, outcome) VALUES ('${time}', 'ann', 'look', 'done')`);
  const waiting = (await sealState(db)).unsealed.find((one) => one.log === 'actions');
  expect(Date.parse(waiting?.oldestAt ?? '')).toBeGreaterThan(Date.now() - DAY_MS);
  expect((await sealRows({ db, now })).rows).toBe(1);
});

it('says how long all were not verified, and counts from when sealing began', async () => {
  const began = Date.now() - 4 * DAY_MS;
  expect((await factsAt()).unverifiedSeconds).toBeLessThan(3_600);
  await db('migrations').update({ migration_time: new Date(began) });
  expect((await factsAt()).unverifiedSeconds).toBeGreaterThan(3 * 86_400);
  await check({ from: '2' });
  expect((await factsAt()).unverifiedSeconds).toBeGreaterThan(3 * 86_400);
  await check();
  expect((await factsAt()).unverifiedSeconds).toBeLessThan(3_600);
  expect((await factsAt(new Date(Date.now() + 4 * DAY_MS))).unverifiedSeconds).toBeGreaterThan(4 * 86_400 - 3_600);
});

it('does not lag at once where rows are older than sealing', async () => {
  await db.raw(`INSERT INTO actions (at, actor, action, outcome) VALUES (now() - interval '1 year', 'a', 'b', 'done')`);
  await db('migrations').update({ migration_time: new Date() });
  expect((await factsAt()).oldestUnsealedSeconds).toBeLessThan(1_800);
  await db('migrations').update({ migration_time: new Date(Date.now() - 3_600_000) });
  expect((await factsAt()).oldestUnsealedSeconds).toBeGreaterThan(1_800);
});

it('verifies what is asked for at once and in the background, and once however often it is asked', async () => {
  const sealing = createSealing({ db, log, now, signal: new AbortController().signal });
  for (const actor of ['ann', 'bob', 'cid', 'dan', 'eve']) expect(sealing.verify(actor)).toBeUndefined();
  await sealing.close();
  expect(await db('seal_checks').orderBy('id').pluck('actor')).toEqual(['ann', 'eve']);
  sealing.verify('fay');
  await sealing.close();
  expect(await db('seal_checks').where({ actor: 'fay' })).toHaveLength(1);
});

it('seals what is written while all is verified', async () => {
  const stop = new AbortController();
  const before = Number((await db('seals').max('number as n').first())?.['n']);
  const seen: number[] = [];
  await verifySeals(db, {
    meanwhile: async () => {
      await recordAction(db, { actor: 'ann', action: 'look', outcome: 'done' });
      seen.push((await sealRows({ db, now })).rows);
      if (seen.length === 5) stop.abort();
    },
    signal: stop.signal,
  });
  expect(seen.every((rows) => rows === 1)).toBe(true);
  expect(Number((await db('seals').max('number as n').first())?.['n'])).toBe(before + seen.length);
  const kept = new AbortController();
  const keeping = createSealing({ db, log, now, signal: kept.signal }, 1).loop(kept.signal);
  await vi.waitFor(async () => expect(await db('seal_checks').where({ actor: 'scheduler' })).toHaveLength(1), 10_000);
  kept.abort();
  await keeping;
});
