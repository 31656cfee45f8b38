import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { findAlerts } from '../domain/alerts/alerts.js';
import { type AlertFacts, breaksOf } from '../domain/alerts/facts.js';
import { leftToDo, remainingAlerts } from '../domain/alerts/over-words.js';
import { counted, minuteOf } from '../domain/in-words.js';
import { missedWords } from '../domain/state/proven.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import {
  type ClaimedChannel,
  claimChannel,
  keepChannels,
  noticeSent,
  releaseChannel,
} from '../records/alerts/alert-channels.js';
import { loadAlertFacts } from '../records/alerts/load-alert-facts.js';
import { type AlertRow, addNotice, type Settled, settleAlerts } from '../records/alerts/settle-alerts.js';
import { closedHeads } from '../records/audit/pack-facts.js';
import { describeError } from '../records/database/database-errors.js';
import { expectHeartbeats, recordHeartbeat } from '../records/process-heartbeats.js';
import type { AlertChannel, AlertMessage } from './alert-channels.js';
import { type CallOutDeps, callOut, retryInMs } from './call-out.js';

export interface AlertDeps extends NoticeDeps, CallOutDeps {
  now: () => Date;
  /** How far apart the runs of each kind are at most; a kind that is switched off is left out. */
  runEverySeconds: Readonly<Record<string, number>>;
  /** Rejects where the queue does not answer. */
  askQueue: () => Promise<unknown>;
  /** Has the delivery history read now: it tells what the service sent from what somebody else did. */
  readHistory?: () => void;
  /** ALERT_HEARTBEAT_URL. */
  heartbeatUrl?: string | undefined;
}

const CHECK_EVERY_MS = 30_000;
const SEND_EVERY_MS = 2_000;
const BEAT_EVERY_MS = 60_000;

/** Checks every half minute, sends what is new, and beats each minute while all is well. Until the signal; never throws. */
export async function alertLoop(deps: AlertDeps, signal: AbortSignal): Promise<void> {
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

/** One check of everything: rows and notices are brought in line with it. */
export async function checkAlerts(deps: AlertDeps): Promise<Settled> {
  const { db, now, runEverySeconds, log } = deps;
  const channels = deps.channels.map(({ name }) => name);
  await keepChannels(db, channels);
  await deps.askQueue().then(
    () => recordHeartbeat(db, ['queue']),
    () => expectHeartbeats(db, ['queue']),
  );
  const at = now();
  const facts = await loadAlertFacts(db, { now: at, runEverySeconds });
  if (asksHistory(facts)) deps.readHistory?.();
  const settled = await db.transaction(async (trx) => {
    const result = await settleAlerts(trx, findAlerts(facts), {
      now: at,
      channels,
      remaining: remainingAlerts(facts),
      left: (name) => leftToDo(name, facts),
    });
    const message = digestMessage(facts, result.firing, at);
    for (const { key, message } of (await closedHeads(trx)).map(closingNotice))
      await addNotice(trx, { key, message }, channels);
    if (at.getUTCHours() >= DIGEST_HOUR && isMeasured(facts))
      await addNotice(trx, { key: `digest ${message.day}`, message }, channels);
    return result;
  });
  await recordHeartbeat(db, ['alerts']);
  for (const { name, subject, detail } of settled.fired) log.warn({ alert: name, subject, detail }, 'alert firing');
  for (const { name, subject } of settled.resolved) log.info({ alert: name, subject }, 'alert resolved');
  return settled;
}

const FEW = 3;
const UNREAD_SECONDS = 60;

/**
 * Rejected under the service's headers, and the history is older: what is taken meanwhile may be forged under a stolen secret, which
 * only the history shows. Whoever imitates the headers has it read once a minute, no more.
 */
export function asksHistory({ invalidSignatures, kinds }: Pick<AlertFacts, 'invalidSignatures' | 'kinds'>): boolean {
  const ageSeconds = kinds.find(({ kind }) => kind === 'deliveries')?.ageSeconds ?? null;
  return invalidSignatures.fiveMinutes >= FEW && ageSeconds !== null && ageSeconds > UNREAD_SECONDS;
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

/** From then on, UTC, the digest of the day is due. */
const DIGEST_HOUR = 7;

/** A new installation says nothing of what it has not read yet, for an hour at most. */
const isMeasured = ({ kinds, ageSeconds }: AlertFacts): boolean =>
  ageSeconds > 3_600 || kinds.every(({ provenSecondsAgo }) => provenSecondsAgo !== null);

/** What stands, in numbers: also on a quiet day, so that silence is not mistaken for it. */
function digestMessage(facts: AlertFacts, firing: readonly AlertRow[], now: Date) {
  const lines = [
    ...firing.map(({ severity, summary, subject, detail, silenced_until: until }) =>
      [
        `[${severity}]`,
        summary,
        subject === '' ? '' : `(${subject})`,
        detail,
        until === null ? '' : `Silent until ${minuteOf(until.toISOString())} UTC.`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    ),
    `Open breaks, critical or high: ${breaksOf(facts, 'critical', 'high')}`,
    `Deliveries: ${missedWords(facts)}`,
    `Events given up: ${facts.backlog.dead}`,
    `Callbacks given up: ${facts.callbacks.dead}`,
    `Never proven: ${facts.kinds.filter(({ provenSecondsAgo }) => provenSecondsAgo === null).length} of ${counted(facts.kinds.length, 'kind')}`,
  ];
  const fires = firing.length === 0 ? 'no alert fires' : counted(firing.length, 'alert fires', 'alerts fire');
  const day = now.toISOString().slice(0, 10);
  return {
    type: 'alert.digest',
    summary: `Tallyhook today: ${fires}`,
    detail: lines.join('\n'),
    day,
  } satisfies AlertMessage;
}

/** A head of the seals that lies outside shows whatever was made anew since, by whomever. */
function closingNotice({ month, closing, actor, number, hash }: Awaited<ReturnType<typeof closedHeads>>[number]) {
  const head = `${number}:${hash}`;
  const detail = `Closed by ${actor}. The head of the seals is ${head}. Keep it outside: tallyhook audit verify --head ${head}`;
  const message = {
    type: 'books.closed',
    summary: `The month ${month} is closed`,
    detail,
    month,
    closing,
    head,
  } as const;
  return { key: `closing ${month} ${closing}`, message: message satisfies AlertMessage };
}

interface NoticeDeps {
  db: Knex;
  log: Logger;
  metrics: Pick<Metrics, 'alertNotices'>;
  channels: readonly AlertChannel[];
  firstRetryMs?: number;
}

const FIRST_RETRY_MS = 15_000;
/** Longer than a turn and its last notice take. */
const CLAIM_SECONDS = 90;
const TURN_MS = 30_000;

/** Sends each channel what waits for it, in order, until one notice fails: the rest waits with it. */
export async function sendNotices(deps: NoticeDeps): Promise<void> {
  await Promise.all(
    deps.channels.map(async (channel) => {
      const claimed = await claimChannel(deps.db, channel.name, CLAIM_SECONDS);
      if (claimed !== null) await printAll(deps, channel, claimed);
    }),
  );
}

async function printAll(deps: NoticeDeps, channel: AlertChannel, claimed: ClaimedChannel): Promise<void> {
  const { db, log, metrics } = deps;
  const began = performance.now();
  for (const { id, webhookId, message, createdAt } of claimed.notices) {
    const answer = await channel.send({ id: webhookId, at: createdAt, message: message as AlertMessage });
    metrics.alertNotices.inc({ channel: channel.name, result: answer.ok ? 'sent' : 'failed' });
    if (!answer.ok) {
      const { error, retryAfterMs } = answer;
      log.warn({ channel: channel.name, error, failures: claimed.failures + 1 }, 'alert channel failed');
      const pause = retryInMs(claimed.failures + 1, deps.firstRetryMs ?? FIRST_RETRY_MS);
      await releaseChannel(db, claimed, { error, retryInMs: Math.max(pause, retryAfterMs ?? 0) });
      return;
    }
    await noticeSent(db, id);
    if (performance.now() - began > TURN_MS) break;
  }
  await releaseChannel(db, claimed, null);
}
