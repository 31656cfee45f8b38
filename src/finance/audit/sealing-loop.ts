import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../log.js';
import { logRepeatedRefusals } from '../../records/actions/record-action.js';
import { checkSeals, lastSealCheck } from '../../records/audit/seal-checks.js';
import { sealRows } from '../../records/audit/seal-rows.js';
import type { VerifyOptions } from '../../records/audit/verify-seals.js';
import { describeError } from '../../records/database/database-errors.js';

const PAUSE_MS = 5 * 60_000;
const CHECK_EVERY_MS = 24 * 3_600_000;

export interface SealingDeps {
  db: Knex;
  log: Logger;
  now: () => Date;
  /** What is verified with all seals: the books. */
  also?: VerifyOptions['also'];
  /** Ends what was asked for; what is kept ends by its own signal. */
  signal: AbortSignal;
}

/** The log names each newest seal with its hash: kept elsewhere, it shows if seals are taken away. */
export function createSealing(deps: SealingDeps, pauseMs = PAUSE_MS) {
  let asked: string | null = null;
  let answering: Promise<void> | null = null;

  const answer = async (): Promise<void> => {
    for (let actor = asked; actor !== null && !deps.signal.aborted; actor = asked) {
      asked = null;
      await trySealing(deps, deps.signal, () => check(deps, { actor, signal: deps.signal, pauseMs }));
    }
    answering = null;
  };
  /** Seals every five minutes, and verifies all seals once a day, until the signal. Two leaders would do no harm. Never throws. */
  const loop = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await trySealing(deps, signal, async () => {
        if (answering === null && (await isCheckDue(deps))) await check(deps, { actor: 'scheduler', signal, pauseMs });
      });
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  return {
    loop,
    /** Has all seals verified in somebody's name, soon, and does not wait for it. Asked again before it begins, it is done once. */
    verify: (actor: string): void => {
      asked = actor;
      answering ??= answer();
    },
    /** Waits for what was asked for, which the signal of the parts ends. */
    close: async (): Promise<void> => answering ?? undefined,
  };
}

/** Seals, then does the rest; a failure is logged. */
async function trySealing(deps: SealingDeps, signal: AbortSignal, rest: () => Promise<void>): Promise<void> {
  try {
    await seal(deps, signal);
    if (!signal.aborted) await rest();
  } catch (error) {
    if (!signal.aborted) deps.log.warn({ error: describeError(error) }, 'sealing failed');
  }
}

async function seal(deps: SealingDeps, signal: AbortSignal): Promise<void> {
  await logRepeatedRefusals(deps.db);
  const { seals, rows, head } = await sealRows(deps, { signal });
  if (head !== null) deps.log.info({ seals, rows, seal: head.number, hash: head.hash }, 'logs sealed');
}

async function isCheckDue({ db, now }: SealingDeps): Promise<boolean> {
  const last = await lastSealCheck(db, { whole: true });
  return last === null || now().getTime() - Date.parse(last.finishedAt) > CHECK_EVERY_MS;
}

/** All rows of years take a while: what is written meanwhile is sealed in time. */
async function check(
  deps: SealingDeps,
  { actor, signal, pauseMs }: { actor: string; signal: AbortSignal; pauseMs: number },
): Promise<void> {
  let sealedAt = performance.now();
  const meanwhile = async () => {
    if (performance.now() - sealedAt < pauseMs) return;
    await trySealing(deps, signal, async () => {});
    sealedAt = performance.now();
  };
  const { findings, firstFinding, seals, rows } = await checkSeals(deps, {
    actor,
    signal,
    meanwhile,
    ...(deps.also === undefined ? {} : { also: deps.also }),
  });
  if (signal.aborted) return;
  if (findings === 0) deps.log.info({ seals, rows }, 'seals verified');
  else deps.log.error({ findings, first: firstFinding?.told }, 'seals broken');
}
