import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import type { Run } from '../../../src/domain/views/proof-shapes.js';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/start-sandbox.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/drill.js';
import { createInstallation, type Installation } from '../../support/installation.js';
import { progress } from '../../support/reckoning.js';
import { createDrillClock } from './drill-clock.js';
import type { BreakName } from './expected-breaks.js';

/** An installation of real processes, its database, and one clock for all of it. */
export interface DrillSite {
  /** Nothing is in it at the end. */
  folder: string;
  database: TestDatabase;
  installation: Installation;
  sandbox: Sandbox;
  advance(seconds: number): Promise<void>;
  /** A process of its own; fails when it does. Breaks that it opens are no failure. */
  reconcile(...words: string[]): Promise<Run[]>;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** How much will be advanced in all, at most. */
  seconds: number;
  sandbox: SandboxOptions;
  env?: (folder: string) => Record<string, string>;
}

export async function createDrillSite({ seconds, sandbox: options, env }: SiteOptions): Promise<DrillSite> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'drill-site-'));
  const clock = await createDrillClock(folder, seconds);
  const installation = await createInstallation({
    databaseUrl: database.url,
    // What is masked by its age can't be compared with the service's own.
    env: { ...clock.env, RETENTION_PERSONAL_DAYS: '36500', ...env?.(folder) },
    sandbox: { realNow: clock.realNow, rateSwingBasisPoints: 0, retrySchedule: [5, 30, 120, 600], ...options },
  });
  const { sandbox } = installation;
  return {
    folder,
    database,
    installation,
    sandbox,
    advance: (by) => clock.advance(sandbox, by),
    async reconcile(...words) {
      const { code, stdout, stderr } = await installation.run(['reconcile', ...words, '--json']);
      expect([0, 3], stderr).toContain(code);
      const answer = JSON.parse(stdout) as Run | { items: Run[] };
      const runs = 'items' in answer ? answer.items : [answer];
      const isOffered = ({ proof }: Run) => !String(proof['reason']).startsWith('degraded: ');
      expect(code === 3, 'it says by its exit code that it opened breaks, or did not prove all that is offered').toBe(
        runs.some((run) => run.breaksOpened > 0 || (!run.complete && isOffered(run))),
      );
      return runs;
    },
    async close() {
      await installation.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function everythingApplied(db: Knex): Promise<void> {
  await until('every event is applied', async () => {
    const { stored, applied } = await progress(db);
    return applied === stored || `${applied} of ${stored}`;
  });
}

export async function breakNames(
  db: Knex,
  statuses: readonly string[] = ['open', 'acknowledged'],
): Promise<Set<BreakName>> {
  const rows: { kind: string; entity_kind: string; entity_id: string }[] = await db('breaks')
    .whereIn('status', statuses)
    .select('kind', 'entity_kind', 'entity_id');
  return new Set(rows.map((row) => `${row.kind} ${row.entity_kind} ${row.entity_id}`));
}

/** What an asset's balance was judged to be. */
export async function proofOf(db: Knex, assetCode: string): Promise<Record<string, string | null>> {
  const row = await db('balance_proofs').where({ asset_code: assetCode }).first();
  return (row ?? {}) as Record<string, string | null>;
}
