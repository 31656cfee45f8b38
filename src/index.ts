import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ConfigError } from './errors.js';
import { createLog, type Logger } from './log.js';
import { createMetrics, type Metrics } from './metrics.js';
import { recordHeartbeats } from './notify/record-heartbeats.js';
import { createCallStore, type LibraryDatabase, openReady } from './own-calls/share-calls.js';
import { retiredLabels } from './records/deliveries/secrets.js';
import type { KeyStore } from './service-api/key-store.js';
import { createEventQueue } from './webhook/queue.js';
import { createReceiverApp } from './webhook/receiver.js';
import { staticSecrets, withoutRetired } from './webhook/secret-source.js';
import { defaultTolerance, type SigningSecret, type Tolerance } from './webhook/verify-signature.js';

export * from './client.js';
export { SchemaError } from './own-calls/share-calls.js';
export type { HeaderValues, SigningSecret } from './webhook/verify-signature.js';
export { type PlainEnvelope, type Reason, type Tolerance, verifySignature } from './webhook/verify-signature.js';

/** Events are in its database before they are answered with 200. */
export interface ReceiverOptions extends LibraryDatabase {
  /** Where the workers' queue is, if not in that database too. */
  redisUrl?: string;
  /** All of them are accepted. */
  secrets: readonly SigningSecret[];
  tolerance?: Tolerance;
  /** Bytes; 1 MiB unless given. */
  bodyLimit?: number;
  /** EVENT_ID_POINTER; `auto` unless given. */
  eventIdPointer?: string;
  log?: Logger;
  metrics?: Metrics;
}

export interface MountedReceiver {
  /** For `app.use('/webhooks', receiver.router)`: an Express router that answers that path, and nothing below it. */
  router: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;
  /** For `app.post('/webhooks', receiver.handler)`, or a server without Express: answers whatever it is given. */
  handler: RequestListener;
  close(): Promise<void>;
}

/**
 * The webhook receiver for an app of your own, to be mounted before any body parser. What it stores is applied by
 * `tallyhook work`. Rejects with a ConfigError what could verify or store nothing, and when the database can't be reached or
 * lacks its schema. After `close`, which waits for what is under way, it answers 503.
 */
export async function createReceiver(options: ReceiverOptions): Promise<MountedReceiver> {
  const problem = receiverProblem(options);
  if (problem !== null) throw new ConfigError(`createReceiver: ${problem}`);
  const { databaseUrl, redisUrl, log = createLog('info') } = options;
  const db = await openReady(options, 'tallyhook receiver');
  const secrets = await withoutRetired(staticSecrets(options.secrets), { retired: () => retiredLabels(db), log });
  const queue = createEventQueue({ databaseUrl: options.databaseDirectUrl ?? databaseUrl, redisUrl, log });
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
  const stop = new AbortController();
  void recordHeartbeats({ db, log }, { parts: ['receiver'], roles: [], settings: {}, secrets }, stop.signal);
  return {
    // Typed without Express, whose types an app of another kind does not have.
    router: receiver.router as unknown as MountedReceiver['router'],
    handler: receiver.handler,
    close: async () => {
      stop.abort();
      await receiver.close();
      secrets.close();
      await queue.close();
      await db.destroy();
    },
  };
}

/** What is wrong with them, never a secret; null: nothing. Whoever calls may have no types. */
function receiverProblem({ databaseUrl, secrets }: Partial<ReceiverOptions>): string | null {
  if (typeof databaseUrl !== 'string' || databaseUrl === '')
    return 'databaseUrl is not given: the address of the Postgres that events are stored in';
  if (!Array.isArray(secrets) || secrets.length === 0)
    return 'secrets has none: every webhook would be refused; give one or more, [{ label, secret }]';
  const given: readonly Partial<SigningSecret>[] = secrets;
  const wrong = given.findIndex(
    ({ label, secret }) =>
      typeof label !== 'string' || label === '' || typeof secret !== 'string' || !/^\S+$/.test(secret),
  );
  if (wrong >= 0)
    return `secrets[${wrong}] has no label, or a secret that is empty or has a blank; give the whole whsec_… text that the service showed`;
  const labels = given.map(({ label }) => label);
  const twice = labels.find((label, at) => labels.indexOf(label) !== at);
  return twice === undefined ? null : `two secrets have the label ${twice}`;
}

/**
 * Where a MerchantClient of your own writes its creating calls down before they are sent, so that they outlive the
 * process: `new MerchantClient({ …, keyStore })`. A call whose outcome a crash left unknown is settled by `tallyhook schedule` on the
 * same database and account, or by `client.settleWrites()`, called now and then. Rejects like createReceiver.
 */
export async function createKeyStore(options: LibraryDatabase): Promise<KeyStore & { close(): Promise<void> }> {
  const db = await openReady(options, 'tallyhook client');
  return { ...createCallStore(db), close: () => db.destroy() };
}
