import type { Command } from 'commander';
import type { Role } from '../config/variable.js';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import { commit, version, versionText } from '../version.js';
import type { Closers } from '../wiring/closers.js';
import { needsOf, startRoles } from '../wiring/roles/roles.js';
import { collectSooner, keepHeapSmall } from '../wiring/small-heap.js';
import { runUntilStopped } from './run-until-stopped.js';

/** Prints where it can be reached, each on a line of its own, once it can be. */
export function defineRoles(...roles: Role[]): (command: Command) => void {
  return (command) => {
    command.action(async () => {
      if (roles.every((role) => role === 'scheduler')) keepHeapSmall();
      if (roles.every((role) => role === 'receiver')) collectSooner();
      const config = loadConfig(['SERVICE_BASE_URL'], {
        alsoNeeds: roles.flatMap(needsOf),
        apart: roles.includes('receiver') ? [roles.includes('console') ? 'CONSOLE_PORT' : 'METRICS_PORT'] : [],
      });
      const log = createLog(config.LOG_LEVEL);
      const start = async (closers: Closers, signal: AbortSignal) => {
        const { runtime, addresses } = await startRoles({ config, log, closers, signal }, roles);
        for (const [name, url] of Object.entries(addresses)) process.stdout.write(`${name.padEnd(8)} ${url}\n`);
        log.info({ roles, version, commit, ...addresses, ms: Math.round(performance.now()) }, 'started');
        const { newerSchema } = await import('../records/database.js');
        const older = await newerSchema(runtime.db).catch(() => null);
        if (older !== null) log.warn({ version: versionText, detail: older }, 'schema newer than program');
      };
      await runUntilStopped(log, start, { drainSeconds: config.DRAIN_SECONDS });
    });
  };
}
