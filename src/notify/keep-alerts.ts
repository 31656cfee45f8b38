import { setTimeout as delay } from 'node:timers/promises';
import { findAlerts } from '../domain/alerts/alerts.js';
import { keepChannels } from '../records/alerts/alert-channels.js';
import { loadAlertFacts } from '../records/alerts/load-alert-facts.js';
import { addNotice, type Settled, settleAlerts } from '../records/alerts/settle-alerts.js';
import { expectSigns, giveSign } from '../records/alerts/signs-of-life.js';
import { describeError } from '../records/database/database-errors.js';
import { type CallOutDeps, callOut } from './call-out.js';
import { digestKey, digestMessage } from './digest.js';
import { type NoticeDeps, sendNotices } from './send-notices.js';

export interface AlertDeps extends NoticeDeps, CallOutDeps {
  now: () => Date;
  /** How far apart the runs of each kind are at most; a kind that is switched off is left out. */
  runEverySeconds: Readonly<Record<string, number>>;
  /** Rejects where the queue does not answer. */
  askQueue: () => Promise<unknown>;
  /** ALERT_HEARTBEAT_URL. */
  heartbeatUrl?: string | undefined;
}

const CHECK_EVERY_MS = 30_000;
const SEND_EVERY_MS = 2_000;
const BEAT_EVERY_MS = 60_000;

/** Looks every half minute, tells what is new, and beats each minute while all is well. Until the signal; never throws. */
export async function keepAlerts(deps: AlertDeps, signal: AbortSignal): Promise<void> {
  let beatAt = Number.NEGATIVE_INFINITY;
  const check = async () => {
    const { firing } = await checkAlerts(deps);
    if (performance.now() - beatAt < BEAT_EVERY_MS - CHECK_EVERY_MS / 2) return;
    if (await beat(deps, firing)) beatAt = performance.now();
  };
  await Promise.all([
    repeat(deps, { every: CHECK_EVERY_MS, signal }, check),
    repeat(deps, { every: SEND_EVERY_MS, signal }, () => sendNotices(deps)),
  ]);
}

/** One look at everything: rows and notices are brought in line with it. */
export async function checkAlerts(deps: AlertDeps): Promise<Settled> {
  const { db, now, runEverySeconds, log } = deps;
  const channels = deps.channels.map(({ name }) => name);
  await keepChannels(db, channels);
  await deps.askQueue().then(
    () => giveSign(db, ['queue']),
    () => expectSigns(db, ['queue']),
  );
  const at = now();
  const facts = await loadAlertFacts(db, { now: at, runEverySeconds });
  const settled = await db.transaction(async (trx) => {
    const result = await settleAlerts(trx, findAlerts(facts), { now: at, channels });
    const key = digestKey(at);
    if (key !== null) await addNotice(trx, { key, message: digestMessage(facts, result.firing, at) }, channels);
    return result;
  });
  await giveSign(db, ['alerts']);
  for (const { name, subject, detail } of settled.fired) log.warn({ alert: name, subject, detail }, 'alert firing');
  for (const { name, subject } of settled.resolved) log.info({ alert: name, subject }, 'alert resolved');
  return settled;
}

/** Calls the heartbeat's address, unless something critical fires. False: it was not heard. */
export async function beat(deps: AlertDeps, firing: readonly { severity: string }[]): Promise<boolean> {
  const { heartbeatUrl: url, log } = deps;
  if (url === undefined || firing.some(({ severity }) => severity === 'critical')) return false;
  const answer = await callOut({ url, method: 'GET' }, deps);
  if (!answer.ok) log.warn({ error: answer.error }, 'alert heartbeat failed');
  return answer.ok;
}

async function repeat(
  { log }: AlertDeps,
  { every, signal }: { every: number; signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    try {
      await work();
    } catch (error) {
      log.warn({ error: describeError(error) }, 'alert loop failed');
    }
    const left = Math.max(every - (performance.now() - began), every / 10);
    await delay(left, undefined, { signal }).catch(() => {});
  }
}
