import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestCluster } from '../support/cluster.js';
import { isLong } from '../support/drill.js';
import { redisKind } from '../support/redis.js';
import { createChaosCluster } from './chaos-cluster.js';
import { failedRow, HEADER, keepRow, line, readRows, rowOf, summary, writeSummary } from './chaos-report.js';
import { planOf } from './plan.js';
import { playScenario } from './scenario.js';
import { isClean } from './verdict.js';

/*
 * By hand: TALLYHOOK_LONG=1 CHAOS_SCENARIOS=200 CHAOS_SEED=1 CHAOS_REPORT=/tmp/chaos.jsonl npx vitest run test/chaos
 * One alone: CHAOS_SCENARIOS=1 CHAOS_SEED=17, with TALLYHOOK_LONG=1 if it was played so. What the file of the report
 * holds is not played again.
 */
const COUNT = Number(process.env['CHAOS_SCENARIOS'] ?? (isLong ? 200 : 1));
const FIRST = Number(process.env['CHAOS_SEED'] ?? 1);
/** A fail-over and idle connections, which no other quick test brings; all killed and the clock behind, storms: what is most likely to show a mistake. */
const QUICK = [4, 7, 24];
const FILE = process.env['CHAOS_REPORT'];
const FAULTS = isLong ? 3 : 2;
const SCENARIO_MS = 15 * 60_000;

const rows = readRows(FILE);
const played = new Set(rows.map(({ seed }) => seed));
const isChosen = isLong || process.env['CHAOS_SCENARIOS'] !== undefined || process.env['CHAOS_SEED'] !== undefined;
const seeds = (isChosen ? Array.from({ length: COUNT }, (_, n) => FIRST + n) : QUICK).filter(
  (seed) => !played.has(seed),
);

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await createChaosCluster();
  process.stderr.write(HEADER);
});

afterAll(async () => {
  await cluster?.close();
  process.stderr.write(`\n${summary(rows)}`);
  writeSummary(FILE, rows);
});

test.each(seeds)(
  'chaos of seed %i: nothing acknowledged is lost, nothing is applied twice, and all is in the end what the service says',
  {
    timeout: SCENARIO_MS,
  },
  async (seed) => {
    const plan = planOf(seed, { redis: redisKind === 'own', disk: cluster.hasOwnDisk }, FAULTS);
    const outcome = await playScenario(plan, cluster).catch((error: unknown) => error);
    const isPlayed = typeof outcome === 'object' && outcome !== null && 'verdict' in outcome;
    const row = isPlayed ? rowOf(outcome as Parameters<typeof rowOf>[0]) : failedRow({ plan, error: outcome });
    rows.push(row);
    keepRow(FILE, row);
    process.stderr.write(line(row));
    if (!isPlayed) throw outcome;
    const { verdict } = outcome as Parameters<typeof rowOf>[0];
    expect(isClean(verdict), JSON.stringify(verdict, null, 1)).toBe(true);
  },
);
