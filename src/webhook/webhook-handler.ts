import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Arrival } from '../records/inbox/inbox.js';
import { type Answer, sendAnswer, unavailable } from './answer.js';
import { answerWebhook } from './answer-webhook.js';
import { createBodyRoom } from './body-room.js';
import { createExpiredEvents, type OnExpired } from './expired-events.js';
import type { InboxWriter } from './inbox-writer.js';
import { logSeldom } from './log-seldom.js';
import { createRejectionLog } from './rejection-log.js';
import { createSecretMatchLog } from './secret-matches.js';
import type { SecretSource } from './secret-source.js';
import { createUnsignedIds } from './unsigned-ids.js';
import type { Tolerance } from './verify-signature.js';

export interface WebhookHandlerDeps {
  db: Knex;
  log: Logger;
  now: () => Date;
  metrics: Metrics;
  secrets: SecretSource;
  tolerance: Tolerance;
  /** Bytes. */
  bodyLimit: number;
  /** EVENT_ID_POINTER (domain/event-key.ts) */
  eventIdPointer: string;
  inbox: InboxWriter;
  /** Told of authentic events that came too late, of each once. */
  onExpired?: OnExpired | undefined;
}

export interface WebhookHandler {
  handler(this: void, req: IncomingMessage, res: ServerResponse): void;
  /** Writes what is only counted yet; to be called when no request is under way any more. */
  close(this: void): Promise<void>;
}

/** What the bodies that are still being sent may hold together, and no fewer than so many of the largest. */
const UNFINISHED_BYTES = 64 * 1024 * 1024;
const UNFINISHED_BODIES = 4;

/** Answers requests to the webhook path, whatever that path is (interface: "Receiver"). Never 5xx other than 503. */
export function createWebhookHandler(deps: WebhookHandlerDeps): WebhookHandler {
  const { log, metrics, inbox } = deps;
  const rejections = createRejectionLog(deps);
  const matches = createSecretMatchLog(deps);
  const answerDeps = {
    ...deps,
    rejections,
    matches,
    bodyRoom: createBodyRoom(Math.max(UNFINISHED_BYTES, UNFINISHED_BODIES * deps.bodyLimit)),
    unsignedIds: createUnsignedIds(deps.eventIdPointer),
    store: (arrival: Arrival) => inbox.store(arrival),
    expired: createExpiredEvents(deps.onExpired ?? (() => {}), log),
    notStored: logSeldom(log, 'webhooks could not be stored and were answered with 503'),
  };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const start = performance.now();
    const answer = await answerWebhook(answerDeps, req).catch((error: unknown): Answer => {
      log.error({ err: error }, 'a webhook failed here');
      return unavailable('failed', 'the event could not be stored');
    });
    metrics.webhookRequests.inc({ result: answer?.result ?? 'aborted' });
    metrics.webhookRequestDuration.observe((performance.now() - start) / 1000);
    if (answer) sendAnswer(res, answer);
    // A body that nobody reads would keep the connection from its next request.
    if (!req.readableEnded) req.resume();
  }

  return {
    handler: (req, res) => void handle(req, res),
    close: async () => {
      await Promise.all([rejections.close(), matches.close()]);
    },
  };
}
