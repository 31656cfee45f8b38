import type { Check, DoctorParts } from './check.js';
import { checkAlerts } from './check-alerts.js';
import { checkCoverage } from './check-coverage.js';
import { checkConnections, checkDatabase, checkSecrets, checkWork } from './check-installation.js';
import { checkKey } from './check-key.js';
import { checkMatching } from './check-matching.js';
import { checkQueue } from './check-queue.js';
import { checkRegistration } from './check-registration.js';
import { checkRetention } from './check-retention.js';
import { checkSealing } from './check-seals.js';
import { checkEndpoint, checkService } from './check-service.js';
import { probeContract } from './probe-contract.js';

/** What `doctor --json` prints: more fields may come, these stay. */
export interface Diagnosis {
  items: Check[];
  /** The whole content of a CONTRACT_FILE that fits the service; null where there is nothing to change. */
  suggestedContract: object | null;
  suggestedEventIdPointer: string | null;
}

/** The database first: without it the others can’t be asked. The names last: without the service they is not known. */
export async function examine(parts: DoctorParts): Promise<Diagnosis> {
  const nothing = { suggestedContract: null, suggestedEventIdPointer: null };
  const database = await checkDatabase(parts);
  if (database.some(({ status }) => status === 'finding')) return { items: database, ...nothing };
  const { checks: service, isReached } = await checkService(parts);
  const items = [...database, ...service, checkKey(parts.config.SERVICE_API_KEY ?? '', parts.now())];
  if (isReached) items.push(...(await checkEndpoint(parts)));
  for (const check of [
    checkConnections,
    checkSecrets,
    checkQueue,
    checkWork,
    checkAlerts,
    checkRegistration,
    checkRetention,
    checkSealing,
    checkMatching,
    checkCoverage,
  ])
    items.push(...(await check(parts)));
  if (!isReached) return { items, ...nothing };
  const { checks, ...suggested } = await probeContract(parts);
  return { items: [...items, ...checks], ...suggested };
}
