import type { Command } from 'commander';
import type { Knex } from 'knex';
import { createLog } from '../log.js';
import { rowOf } from '../records/database/statements.js';
import { wholeNumber } from './arguments.js';
import { compareWithSandbox } from './compare.js';
import { printText } from './print.js';
import { runUntilStopped } from './run-until-stopped.js';
import { startDemo } from './start-demo.js';

interface Flags {
  payments: number;
  seed: number;
}

const STATUS_MS = 10_000;
const WATCH_MS = 500;

export function define(command: Command): void {
  command
    .option('--payments <n>', 'payments a second', wholeNumber(1, 200), 5)
    .option('--seed <n>', 'the same seed makes the same traffic', wholeNumber(0, 2_147_483_647), 1)
    .action(demo);
  command
    .command('compare')
    .description('hold every payment of the running demo’s service against our record of it, field by field')
    .option('--json', 'print JSON')
    .action(compareWithSandbox);
}

async function demo({ payments, seed }: Flags): Promise<void> {
  const began = performance.now();
  const log = createLog('error');
  await runUntilStopped(log, async (closers, signal) => {
    const { runtime, addresses } = await startDemo({ paymentsPerSecond: payments, seed }, { log, closers, signal });
    for (const [name, value] of Object.entries(addresses)) process.stdout.write(`${name.padEnd(8)} ${value}\n`);
    printText('Ctrl-C stops it; `npx tallyhook demo compare` in another terminal holds both sides together.');
    const status = setInterval(() => void printStatus(runtime.db, log), STATUS_MS);
    const watch = setInterval(() => void announceFirst(runtime.db), WATCH_MS);
    closers.add('status line', async () => {
      clearInterval(status);
      clearInterval(watch);
    });

    async function announceFirst(db: Knex): Promise<void> {
      const proven = await db('payment_intents')
        .where({ verified: true, status: 'completed' })
        .first('id')
        .catch(() => null);
      if (!proven || signal.aborted) return;
      clearInterval(watch);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(`first reconciled payment after ${seconds} s\n`);
    }
  });
}

type Totals = Record<'received' | 'duplicates' | 'applied' | 'repaired' | 'breaks' | 'rejected', string>;

async function printStatus(db: Knex, log: ReturnType<typeof createLog>): Promise<void> {
  try {
    const now = await rowOf<Totals>(db)`
      SELECT (SELECT coalesce(sum(arrivals), 0) FROM inbox) AS received,
             (SELECT coalesce(sum(arrivals), 0) - count(*) FROM inbox) AS duplicates,
             (SELECT count(*) FROM inbox WHERE status = 'applied') AS applied,
             (SELECT count(DISTINCT entity_id) FROM changes
              WHERE source_type = 'poll' AND entity_kind = 'payment_intent' AND field IN ('status', 'irregularStatus')) AS repaired,
             (SELECT count(*) FROM breaks WHERE status IN ('open', 'acknowledged')) AS breaks,
             (SELECT coalesce(string_agg(reason || ' ' || n, ', ' ORDER BY reason), '0')
              FROM (SELECT reason, sum(count) AS n FROM rejection_counts GROUP BY reason) AS counts) AS rejected`;
    printText(
      `${new Date().toISOString().slice(11, 19)}  received ${now.received} · duplicates ${now.duplicates} · ` +
        `rejected ${now.rejected} · applied ${now.applied} · repaired by reconcile ${now.repaired} · open breaks ${now.breaks}`,
      '18:00:00  '.length,
    );
  } catch (error) {
    log.warn({ err: error }, 'demo status not read');
  }
}
