import type { RequestListener } from 'node:http';
import { AppError } from './errors.js';
import { createLog, type Logger } from './log.js';
import { createMetrics, type Metrics } from './metrics.js';
import { migrate, openDatabase, schemaState } from './records/database.js';
import type { SigningSecret } from './webhook/match-signature.js';
import { createEventQueue } from './webhook/queue.js';
import { createReceiverApp } from './webhook/receiver.js';
import { staticSecrets, withoutRetired } from './webhook/secret-source.js';
import { defaultTolerance, type Tolerance } from './webhook/verify-signature.js';

export { MerchantClient, type MerchantClientOptions } from './service-api/client.js';
export type { KeyStore } from './service-api/key-store.js';
export { items, pages } from './service-api/pages.js';
export {
  CircuitOpenError,
  ContractViolationError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitedError,
  RefusalError,
  RefusedError,
  ServiceError,
  UnauthorizedError,
  UnavailableError,
} from './service-api/service-errors.js';
export type { HeaderValues, SigningSecret } from './webhook/match-signature.js';
export { type PlainEnvelope, type Reason, type Tolerance, verifySignature } from './webhook/verify-signature.js';

export interface ReceiverOptions {
  /** A Postgres; events are in it before they are answered with 200. */
  databaseUrl: string;
  /** Where the workers' queue is, if not in that database too. */
  redisUrl?: string;
  /** All of them are accepted. */
  secrets: readonly SigningSecret[];
  tolerance?: Tolerance;
  /** Bytes; 1 MiB unless given. */
  bodyLimit?: number;
  /** EVENT_ID_POINTER; `auto` unless given. */
  eventIdPointer?: string;
  /** Brings the database's schemas up to date first. Unless true, an outdated schema is an error. */
  migrate?: boolean;
  log?: Logger;
  metrics?: Metrics;
}

/** The database lacks migrations of this version. */
export class SchemaError extends AppError {
  readonly code = 'schema';
}

const CONNECTIONS = 5;

/**
 * The webhook receiver for an app of your own: `app.post('/webhooks', receiver.handler)`, before any body parser. What it
 * stores is applied by `tallyhook work`. Rejects when the database can't be reached or lacks its schema. After `close`,
 * which waits for what is under way, the handler answers 503.
 */
export async function createReceiver(
  options: ReceiverOptions,
): Promise<{ handler: RequestListener; close(): Promise<void> }> {
  const { databaseUrl, redisUrl, log = createLog('info') } = options;
  if (options.migrate) await migrate(databaseUrl);
  const db = openDatabase(databaseUrl, { max: CONNECTIONS, applicationName: 'tallyhook receiver' });
  try {
    const { ok, problems } = await schemaState(db);
    if (!ok) throw new SchemaError(`${problems.join('; ')}: run "tallyhook migrate", or pass migrate: true`);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const secrets = await withoutRetired(staticSecrets(options.secrets), { db, log });
  const queue = createEventQueue({ databaseUrl, redisUrl, log });
  const receiver = createReceiverApp({
    db,
    log,
    now: () => new Date(),
    metrics: options.metrics ?? createMetrics(),
    secrets,
    tolerance: options.tolerance ?? defaultTolerance,
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
    path: '/',
    eventIdPointer: options.eventIdPointer ?? 'auto',
    onStored: (ids) => queue.enqueue(ids),
  });
  return {
    handler: receiver.handler,
    close: async () => {
      await receiver.close();
      secrets.close();
      await queue.close();
      await db.destroy();
    },
  };
}
