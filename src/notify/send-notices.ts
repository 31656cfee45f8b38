import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { type ClaimedChannel, claimChannel, noticeSent, releaseChannel } from '../records/alerts/alert-channels.js';
import type { AlertChannel } from './alert-channels.js';
import type { AlertMessage } from './alert-message.js';
import { retryInMs } from './retry-in.js';

export interface NoticeDeps {
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

/** Tells each channel what waits for it, in order, until one notice fails: the rest waits with it. */
export async function sendNotices(deps: NoticeDeps): Promise<void> {
  await Promise.all(
    deps.channels.map(async (channel) => {
      const claimed = await claimChannel(deps.db, channel.name, CLAIM_SECONDS);
      if (claimed !== null) await tellAll(deps, channel, claimed);
    }),
  );
}

async function tellAll(deps: NoticeDeps, channel: AlertChannel, claimed: ClaimedChannel): Promise<void> {
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
