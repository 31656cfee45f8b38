import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import type { Diagnosis } from '../wiring/doctor/examine.js';
import { runDoctor } from '../wiring/doctor/run-doctor.js';
import { SERVICE_NEEDS } from '../wiring/runtime.js';
import type { Flags } from './arguments.js';
import { EXIT_FINDINGS, printJson } from './print.js';
import { printDiagnosis } from './print-diagnosis.js';
import { runUntilDone } from './run-until-done.js';

/** Every dependency and assumption probed, each with its remedy; exit code 3 when anything is to be done. */
export function define(command: Command): void {
  command.option('--all', 'also what is well').option('--json', 'print JSON').action(doctor);
}

interface DoctorFlags extends Flags {
  all?: boolean;
}

async function doctor(flags: DoctorFlags): Promise<void> {
  await runUntilDone(loadConfig(SERVICE_NEEDS), async (runtime) => print(await runDoctor(runtime), flags), 'fatal');
}

function print(diagnosis: Diagnosis, { all = false, json = false }: DoctorFlags): void {
  const { items, suggestedContract, suggestedEventIdPointer } = diagnosis;
  if (items.some(({ status }) => status === 'finding')) process.exitCode = EXIT_FINDINGS;
  if (json) return printJson(diagnosis);
  process.stdout.write(`${printDiagnosis(items, { all }).join('\n')}\n`);
  if (suggestedEventIdPointer !== null) process.stdout.write(`\nEVENT_ID_POINTER=${suggestedEventIdPointer}\n`);
  if (suggestedContract === null) return;
  process.stdout.write('\nA CONTRACT_FILE with this content fits the service:\n');
  printJson(suggestedContract);
}
