import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import type { Contract } from '../service-api/contract.js';
import { openRuntime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { createServiceClient } from '../wiring/service-client.js';
import type { Check, DoctorParts } from './doctor/check.js';
import { checkDatabase, checkSecrets, checkWork } from './doctor/check-installation.js';
import { checkEndpoint, checkService } from './doctor/check-service.js';
import { probeContract } from './doctor/probe-contract.js';
import { printJson, printList } from './print.js';
import { runUntilDone } from './run-until-done.js';

const EXIT_FINDINGS = 3;
/** One question that hangs must not hold up the others for long. */
const PATIENCE = { attemptMs: 8_000, deadlineMs: 12_000, retries: 1, longestRetryAfterMs: 5_000 };

interface Diagnosis {
  items: Check[];
  suggestedContract: object | null;
  suggestedEventIdPointer: string | null;
}

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

/** The database first: without it the others can’t be asked. The names last: without the service they can’t be told. */
async function examine(parts: DoctorParts): Promise<Diagnosis> {
  const nothing = { suggestedContract: null, suggestedEventIdPointer: null };
  const database = await checkDatabase(parts);
  if (hasFinding(database)) return { items: database, ...nothing };
  const service = await checkService(parts);
  const isReached = service.every(({ name, status }) => name !== 'service' || status === 'ok');
  const items = [...database, ...service];
  for (const check of [checkEndpoint, checkSecrets, checkWork]) items.push(...(await check(parts)));
  if (!isReached) return { items, ...nothing };
  const { checks, ...suggested } = await probeContract(parts);
  return { items: [...items, ...checks], ...suggested };
}

function hasFinding(checks: readonly Check[]): boolean {
  return checks.some((check) => check.status === 'finding');
}

function print(diagnosis: Diagnosis, json: boolean): void {
  const { items, suggestedContract, suggestedEventIdPointer } = diagnosis;
  if (hasFinding(items)) process.exitCode = EXIT_FINDINGS;
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
