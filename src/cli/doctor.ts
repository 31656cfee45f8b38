import type { Command } from 'commander';
import { duration } from '../domain/in-words.js';
import { UsageError } from '../errors.js';
import { DOCTOR, keepResult, newestResult } from '../records/actions/list-actions.js';
import type { Check } from '../wiring/doctor/check.js';
import type { Diagnosis } from '../wiring/doctor/examine.js';
import { runDoctor } from '../wiring/doctor/run-doctor.js';
import { type Runtime, SERVICE_NEEDS } from '../wiring/runtime.js';
import type { Flags } from './arguments.js';
import { EXIT_FINDINGS, printJson } from './print.js';
import { printDiagnosis } from './print-diagnosis.js';
import { runUntilDone } from './run-until-done.js';
import { showAtWork } from './show-at-work.js';
import { cliActor, commandConfig, withStore } from './with-store.js';

/** Every dependency and assumption probed, each with its remedy; exit code 3 when anything is to be done. */
export function define(command: Command): void {
  command
    .option('--all', 'also what is well')
    .option('--last', 'what they said last, whoever ran them, and how long ago; nothing is probed')
    .option('--json', 'print JSON')
    .action((flags: DoctorFlags) => (flags.last === true ? last(flags) : doctor(flags)));
}

interface DoctorFlags extends Flags {
  all?: boolean;
  last?: boolean;
}

async function doctor(flags: DoctorFlags): Promise<void> {
  const examine = async (runtime: Runtime) => {
    const diagnosis = await showAtWork('probing', runDoctor(runtime));
    const { items } = diagnosis;
    // The database may be what is wrong.
    await keepResult(runtime.db, DOCTOR, { at: runtime.now(), actor: cliActor(), result: { items } }).catch(() => {});
    print(diagnosis, flags);
  };
  await runUntilDone(await commandConfig(SERVICE_NEEDS), examine, 'fatal');
}

async function last(flags: DoctorFlags): Promise<void> {
  await withStore(async ({ db }) => {
    const kept = await newestResult<{ items?: Check[]; error?: string }>(db, DOCTOR);
    if (kept === null) throw new UsageError('The checks were never run: tallyhook doctor');
    const { at, actor, result } = kept;
    const { items, error = 'no reason is known' } = result;
    if (items === undefined)
      throw new UsageError(`The last checks, of ${at.toISOString()}, could not be run: ${error}`);
    process.stderr.write(
      `as of ${at.toISOString()}, ${duration((Date.now() - at.getTime()) / 1_000)} ago, by ${actor}\n`,
    );
    print({ items, suggestedContract: null, suggestedEventIdPointer: null }, flags);
  });
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
