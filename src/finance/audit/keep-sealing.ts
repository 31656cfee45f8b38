import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../log.js';
import { checkSeals, lastSealCheck } from '../../records/audit/seal-checks.js';
import { sealRows } from '../../records/audit/seal-rows.js';
import { describeError } from '../../records/database/database-errors.js';

const PAUSE_MS = 5 * 60_000;
const CHECK_EVERY_MS = 24 * 3_600_000;

export interface SealingDeps {
  db: Knex;
  log: Logger;
  now: () => Date;
}

/**
 * Seals what was written since, every five minutes, and verifies all seals once a day, until the signal. The log names each
 * newest seal with its hash: kept elsewhere, it shows if seals are taken away. For the leader of the schedulers, though two would
 * do no harm. Never throws.
 */
export async function keepSealing(deps: SealingDeps, signal: AbortSignal): Promise<void> {
  const { log } = deps;
  while (!signal.aborted) {
    try {
      const { seals, rows, head } = await sealRows(deps, { signal });
      if (head !== null) log.info({ seals, rows, seal: head.number, hash: head.hash }, 'the logs were sealed');
      if (!signal.aborted && (await isCheckDue(deps))) await check(deps, signal);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: describeError(error) }, 'the logs could not be sealed or verified; it is tried again');
    }
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

async function isCheckDue({ db, now }: SealingDeps): Promise<boolean> {
  const last = await lastSealCheck(db, { whole: true });
  return last === null || now().getTime() - Date.parse(last.finishedAt) > CHECK_EVERY_MS;
}

async function check(deps: SealingDeps, signal: AbortSignal): Promise<void> {
  const { findings, firstFinding, seals, rows } = await checkSeals(deps, { actor: 'scheduler', signal });
  if (signal.aborted) return;
  if (findings === 0) deps.log.info({ seals, rows }, 'all that was sealed is as it was');
  else
    deps.log.error({ findings, first: firstFinding?.told }, 'what was sealed is not as it was: tallyhook audit verify');
}
