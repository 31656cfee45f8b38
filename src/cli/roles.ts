import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import { newerSchema } from '../records/database.js';
import { commit, version, versionText } from '../version.js';
import { needsOf, type Role, startRoles } from '../wiring/roles.js';
import { openRuntime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { collectSooner, keepHeapSmall } from '../wiring/small-heap.js';
import { runUntilStopped } from './run-until-stopped.js';

/** Prints where it can be reached, each on a line of its own, once it can be. */
export function defineRoles(...roles: Role[]): (command: Command) => void {
  return (command) => {
    command.action(async () => {
      if (roles.every((role) => role === 'scheduler')) keepHeapSmall();
      if (roles.every((role) => role === 'receiver')) collectSooner();
      const config = loadConfig(SERVICE_NEEDS, { alsoNeeds: roles.flatMap((role) => needsOf[role]) });
      const log = createLog(config.LOG_LEVEL);
      await runUntilStopped(log, async (closers, signal) => {
        const runtime = await openRuntime({ config, log, closers, signal });
        // Not waited for: a database that does not answer yet keeps nobody from starting.
        newerSchema(runtime.db).then(
          (older) => older !== null && log.warn({ version: versionText }, older),
          () => {},
        );
        const addresses = await startRoles(runtime, roles);
        for (const [name, url] of Object.entries(addresses)) process.stdout.write(`${name.padEnd(8)} ${url}\n`);
        log.info({ roles, version, commit, ...addresses }, 'started');
      });
    });
  };
}
