import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import type { Diagnosis } from '../wiring/doctor/examine.js';
import { runDoctor } from '../wiring/run-doctor.js';
import { openRuntime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { printJson, printList } from './print.js';
import { runUntilDone } from './run-until-done.js';

const EXIT_FINDINGS = 3;

/** Every dependency and assumption probed, each with its remedy; exit code 3 when anything is to be done. */
export function defineDoctor(command: Command): void {
  command.option('--json', 'print JSON').action(async ({ json = false }: { json?: boolean }) => {
    const config = loadConfig(SERVICE_NEEDS);
    const log = createLog('fatal');
    await runUntilDone(log, async (closers, signal) => {
      const runtime = await openRuntime({ config, log, closers, signal });
      print(await runDoctor(runtime), json);
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
