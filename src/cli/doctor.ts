import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import { openRuntime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { createServiceClient } from '../wiring/service-client.js';
import {
  type Check,
  checkDatabase,
  checkEndpoint,
  checkSecrets,
  checkService,
  checkWork,
  type DoctorParts,
} from './doctor-checks.js';
import { printList } from './print.js';
import { runUntilDone } from './run-until-done.js';

const EXIT_FINDINGS = 3;
/** The database first: without it the others can’t be asked. */
const AFTER_DATABASE = [checkService, checkEndpoint, checkSecrets, checkWork];

/** Every dependency and assumption probed, each with its remedy; exit code 3 when anything is to be done. */
export function defineDoctor(command: Command): void {
  command.option('--json', 'print JSON').action(async ({ json = false }: { json?: boolean }) => {
    const config = loadConfig(SERVICE_NEEDS);
    const log = createLog('error');
    await runUntilDone(log, async (closers, signal) => {
      const runtime = await openRuntime({ config, log, closers, signal });
      const checks = await examine({ ...runtime, client: await createServiceClient(runtime) });
      printList({ items: checks }, json, {
        check: (check) => check.name,
        status: (check) => check.status,
        found: (check) => check.found,
        remedy: (check) => check.remedy,
      });
      if (checks.some((check) => check.status === 'finding')) process.exitCode = EXIT_FINDINGS;
    });
  });
}

async function examine(parts: DoctorParts): Promise<Check[]> {
  const database = await checkDatabase(parts);
  if (database.some((check) => check.status === 'finding')) return database;
  const rest: Check[] = [];
  for (const check of AFTER_DATABASE) rest.push(...(await check(parts)));
  return [...database, ...rest];
}
