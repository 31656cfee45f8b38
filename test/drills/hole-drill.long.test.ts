import { afterEach, beforeEach, expect, test } from 'vitest';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { compareWithTruth, readTruth } from './fault/compare-truth.js';
import { breakNames, createDrillSite, type DrillSite } from './fault/drill-site.js';

const TRANSACTIONS = isLong ? 30_000 : 3_000;
const TICK_SECONDS = 600;
/** Six hours of the last 30 days are read again on each run. */
const RUNS_OF_A_REREAD = 120;

let site: DrillSite;

beforeEach(async () => {
  site = await createDrillSite({
    seconds: (RUNS_OF_A_REREAD + 5) * TICK_SECONDS,
    sandbox: { wallets: 20, movements: TRANSACTIONS },
  });
  await site.reconcile('accounts', 'transactions');
});

afterEach(() => site?.close());

async function tick() {
  await site.advance(TICK_SECONDS);
  const [run] = await site.reconcile('transactions');
  if (run === undefined) throw new Error('no run');
  return run;
}

async function differences(): Promise<string[]> {
  const kinds = await compareWithTruth(site.database.db, await readTruth(site.sandbox));
  return kinds.find(({ kind }) => kind === 'transactions')?.differences ?? ['not compared'];
}

/** The local rows, newest first. */
async function rowsOf(): Promise<{ id: string; created_at: Date }[]> {
  return site.database.db('transactions').orderBy('created_at', 'desc').orderBy('id').select('id', 'created_at');
}

test('a hole in the local transactions is found by one count and closed with few calls, wherever it is', {
  timeout: DRILL_MS,
}, async () => {
  const { db } = site.database;
  const usual = await tick();
  expect(usual).toMatchObject({ status: 'succeeded', complete: true });
  const rows = await rowsOf();
  expect(rows).toHaveLength(TRANSACTIONS);
  const at = Math.floor(rows.length * 0.6);
  const lost = rows.slice(at, at + 7).map(({ id }) => id);
  await db('transactions').whereIn('id', lost).delete();
  expect(await differences()).toHaveLength(7);

  const run = await tick();

  report('hole-drill', {
    movements: TRANSACTIONS,
    lost: lost.length,
    'calls without a hole': usual.calls,
    'calls with it': run.calls,
    'pages of everything': Math.ceil(TRANSACTIONS / 100),
  });
  expect(run).toMatchObject({ status: 'succeeded', complete: true });
  expect(await differences()).toEqual([]);
  // Two counts for each halving, and the pages at its end, read twice and beyond their edges.
  expect(run.calls - usual.calls).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(TRANSACTIONS / 100)) + 12);
  expect(await breakNames(db)).toEqual(new Set());
});

test('a hole beside a foreign row, which a count can’t show, is found when the last 30 days are read again', {
  timeout: DRILL_MS,
}, async () => {
  const { db } = site.database;
  await tick();
  const recent = (await rowsOf()).filter(({ created_at: at }) => {
    const days = (site.sandbox.control.now() - at.getTime()) / 86_400_000;
    return days > 1 && days < 2;
  });
  const [lost] = recent;
  if (lost === undefined) throw new Error('no transaction of the day before yesterday');
  const row = await db('transactions').where({ id: lost.id }).first();
  await db('transactions').where({ id: lost.id }).delete();
  const foreign = `${lost.id}-foreign`;
  const renamed = (text: unknown) => (typeof text === 'string' ? text.replaceAll(lost.id, foreign) : text);
  await db('transactions').insert({
    ...row,
    id: foreign,
    shown: renamed(row?.['shown']),
    poll: renamed(row?.['poll']),
  });

  let runs = 0;
  let said: unknown;
  do {
    const run = await tick();
    runs += 1;
    const count = run.proof['count'] as { said: string } | undefined;
    said ??= count?.said;
  } while (runs < RUNS_OF_A_REREAD && (await db('transactions').where({ id: lost.id }).first()) === undefined);

  report('hole-drill, beside a foreign row', { 'the count said': String(said), 'found in run': runs });
  expect(said).toBe('count agrees');
  expect(await differences()).toEqual([]);
  const left = await db('transactions').where({ id: foreign }).first('absent_since');
  expect(left?.['absent_since']).not.toBeNull();
});
