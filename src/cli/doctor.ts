import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import type { Contract } from '../service-api/contract.js';
import { openRuntime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { createServiceClient } from '../wiring/service-client.js';
import { type Diagnosis, examine } from './doctor/examine.js';
import { printJson, printList } from './print.js';
import { runUntilDone } from './run-until-done.js';

const EXIT_FINDINGS = 3;
/** One question that hangs, or fails ever again, must not keep the others from being asked. */
const PATIENCE = { attemptMs: 8_000, deadlineMs: 30_000, retries: 1, longestRetryAfterMs: 5_000, failures: 10_000 };

/** Every dependency and assumption probed, each with its remedy; exit code 3 when anything is to be done. */
export function defineDoctor(command: Command): void {
  command.option('--json', 'print JSON').action(async ({ json = false }: { json?: boolean }) => {
    const config = loadConfig(SERVICE_NEEDS);
    const log = createLog('fatal');
    await runUntilDone(log, async (closers, signal) => {
      const runtime = await openRuntime({ config, log, closers, signal });
      const client = await createServiceClient(runtime, { patience: PATIENCE });
      const clientFor = (contract: Contract) => createServiceClient(runtime, { contract, patience: PATIENCE });
      print(await examine({ ...runtime, client, clientFor }), json);
    });
  });
}

function print(diagnosis: Diagnosis, json: boolean): void {
  const { items, suggestedContract, suggestedEventIdPointer } = diagnosis;
  if (items.some(({ status }) => status === 'finding')) process.exitCode = EXIT_FINDINGS;
  if (json) {
    printJson(diagnosis);
    return;
  }
  printList({ items }, false, {
    check: (check) => check.name,
    status: (check) => check.status,
    found: (check) => check.found,
    remedy: (check) => check.remedy,
  });
  if (suggestedEventIdPointer !== null) process.stdout.write(`\nEVENT_ID_POINTER=${suggestedEventIdPointer}\n`);
  if (suggestedContract === null) return;
  process.stdout.write('\nA CONTRACT_FILE with this content fits the service:\n');
  printJson(suggestedContract);
}
