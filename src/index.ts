import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Knex } from 'knex';
import { AppError, ConfigError } from './errors.js';
import { createLog, type Logger } from './log.js';
import { createMetrics, type Metrics } from './metrics.js';
import { recordHeartbeats } from './notify/record-heartbeats.js';
import { migrate, openDatabase, schemaState } from './records/database.js';
import { retiredLabels } from './records/deliveries/secrets.js';
import { createServiceWriteLog } from './records/service-writes.js';
import type { KeyStore, NotedOperation } from './service-api/key-store.js';
import type { SigningSecret } from './webhook/match-signature.js';
import { createEventQueue } from './webhook/queue.js';
import { createReceiverApp } from './webhook/receiver.js';
import { staticSecrets, withoutRetired } from './webhook/secret-source.js';
import { defaultTolerance, type Tolerance } from './webhook/verify-signature.js';

export type { Json } from './domain/json.js';
export { ConfigError } from './errors.js';
export type {
  Balance,
  DeliveryPage,
  DirectPayment,
  Invoice,
  Payin,
  PaymentIntent,
  Payout,
  Product,
  PublicAsset,
  SubWallet,
  Transaction,
  WebhookEndpoint,
} from './service-api/answer-records.js';
export {
  type CallOptions,
  type CreateOptions,
  MerchantClient,
  type MerchantClientOptions,
  type Reply,
} from './service-api/client.js';
export { type Contract, defaultContract, loadContract } from './service-api/contract.js';
export type { KeyStore } from './service-api/key-store.js';
export type { SettledWrite } from './service-api/open-writes.js';
export { items, type Page, pages } from './service-api/pages.js';
export type {
  AccountUpdateRequest,
  DirectPaymentRequest,
  InvoiceRequest,
  MerchantAssetUpdateRequest,
  PayoutRequest,
  RefundRequest,
  TransferRequest,
} from './service-api/request-schemas.js';
export {
  CircuitOpenError,
  ContractViolationError,
  ForbiddenError,
  ForeignAnswerError,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitedError,
  RefusalError,
  RefusedError,
  ServiceError,
  TooLateError,
  UnauthorizedError,
  UnavailableError,
} from './service-api/service-errors.js';
export type { Answered } from './service-api/service-writes.js';
export type { HeaderValues, SigningSecret } from './webhook/match-signature.js';
export { type PlainEnvelope, type Reason, type Tolerance, verifySignature } from './webhook/verify-signature.js';

export interface ReceiverOptions {
  /** A Postgres; events are in it before they are answered with 200. */
  databaseUrl: string;
  /** The same database past a pooler in transaction mode; databaseUrl unless given. */
  databaseDirectUrl?: string;
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
export async function createKeyStore(
  options: Pick<ReceiverOptions, 'databaseUrl' | 'databaseDirectUrl' | 'migrate'>,
): Promise<KeyStore & { close(): Promise<void> }> {
  const db = await openReady(options, 'tallyhook client');
  return { ...createServiceWriteLog<NotedOperation>(db), close: () => db.destroy() };
}

async function openReady(
  {
    databaseUrl,
    databaseDirectUrl,
    migrate: isToMigrate,
  }: Pick<ReceiverOptions, 'databaseUrl' | 'databaseDirectUrl' | 'migrate'>,
  applicationName: string,
): Promise<Knex> {
  if (isToMigrate) await migrate(databaseDirectUrl ?? databaseUrl);
  const db = openDatabase(databaseUrl, { max: CONNECTIONS, applicationName });
  try {
    const { ok, problems, about } = await schemaState(db);
    const remedy = about === 'schema' ? ': run "tallyhook migrate", or pass migrate: true' : '';
    if (!ok) throw new SchemaError(`${problems.join('; ')}${remedy}`);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
