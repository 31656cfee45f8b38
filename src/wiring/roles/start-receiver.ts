import { readWebhookSecrets } from '../../config.js';
import { type CanaryDeps, sendCanaries } from '../../notify/send-canary.js';
import { untilClosed } from '../../records/database/repeat.js';
import { retiredLabels } from '../../records/deliveries/secrets.js';
import { requestRefresh } from '../../records/runs/refresh-requests.js';
import { observeEvent } from '../../webhook/observe-event.js';
import type { Envelope } from '../../webhook/parse-envelope.js';
import { createEventQueue } from '../../webhook/queue.js';
import { createReceiverApp } from '../../webhook/receiver.js';
import { fileSecrets, type SecretSource, staticSecrets, withoutRetired } from '../../webhook/secret-source.js';
import { signatureOf } from '../../webhook/verify-signature.js';
import { createWorker } from '../../webhook/worker.js';
import type { Listener } from '../listen.js';
import { outboundRules } from '../outbound.js';
import { eventIdPointerOf, releaseRules } from '../reconcile-settings.js';
import type { Runtime } from '../runtime.js';

export async function startReceiver(runtime: Runtime, front: Listener): Promise<SecretSource> {
  const { config, contract, db, log, now, metrics, ready, queues, queuesInUse, closers } = runtime;
  const queue = createEventQueue(queues);
  queuesInUse.push({ name: 'events', isOpen: () => queue.isOpen() });
  closers.add('event queue', () => queue.close());
  const secrets = await acceptedSecrets(runtime);
  const receiver = createReceiverApp({
    db,
    log,
    now,
    metrics,
    ready,
    secrets,
    path: config.WEBHOOK_PATH,
    bodyLimit: config.WEBHOOK_BODY_LIMIT,
    tolerance: { past: config.WEBHOOK_TOLERANCE_SECONDS, future: config.WEBHOOK_FUTURE_TOLERANCE_SECONDS },
    eventIdPointer: eventIdPointerOf(config, contract),
    onStored: (ids) => queue.enqueue(ids),
    onNotStored: runtime.doubtReady,
    onExpired: (envelope) => readLater(runtime, envelope),
  });
  closers.add('receiver', async () => {
    await front.close();
    await receiver.close();
  });
  front.serve(receiver.listener);
  return secrets;
}

async function acceptedSecrets(runtime: Runtime): Promise<SecretSource> {
  const { db, log, closers } = runtime;
  const secrets = await withoutRetired(configuredSecrets(runtime), { retired: () => retiredLabels(db), log });
  closers.add('secrets', async () => secrets.close());
  return secrets;
}

function configuredSecrets({ config, log }: Pick<Runtime, 'config' | 'log'>): SecretSource {
  const file = config.WEBHOOK_SECRETS_FILE;
  return file === undefined
    ? staticSecrets(config.WEBHOOK_SECRETS ?? [])
    : fileSecrets(file, { read: readWebhookSecrets, log });
}

/** A late retry is rejected, as the contract says, but must not lose a payment: what it names is read from the service. */
async function readLater({ db }: Pick<Runtime, 'db'>, { event, data, ...rest }: Envelope): Promise<void> {
  const { observations } = observeEvent({ ...rest, id: 'expired', type: event, source: 'webhook', data });
  const requests = observations.map(({ kind, id }) => ({ kind, id, reason: 'expired_event', lane: 'report' as const }));
  await requestRefresh(db, requests);
}

export async function startWorker(runtime: Runtime, adoptedAt: Date): Promise<void> {
  const { db, now, metrics, queues, queuesInUse, closers, config, contract } = runtime;
  const worker = createWorker({
    ...queues,
    db,
    now,
    metrics,
    adoptedAt,
    ...releaseRules(config, contract),
    links: contract.links,
  });
  queuesInUse.push({ name: 'events', isOpen: () => worker.isOpen() });
  closers.add('worker', () => worker.close());
  await startCanary(runtime);
}

const asService = (body: Buffer, timestamp: number, secret: string): Record<string, string> => ({
  'Content-Type': 'application/json',
  'X-Service-Signature': signatureOf(body, secret),
  'X-Service-Timestamp': String(timestamp),
});

/** A process that is both sends nothing before its receiver takes webhooks. */
async function startCanary(runtime: Runtime): Promise<void> {
  const { config, contract, closers, signal } = runtime;
  const { CANARY_MINUTES: minutes, WEBHOOK_PUBLIC_URL: url } = config;
  if (minutes === undefined || url === undefined) return;
  const secrets = await acceptedSecrets(runtime);
  const sign: CanaryDeps['sign'] = (body, timestamp) => {
    const [secret] = secrets.current();
    return secret === undefined ? null : asService(body, timestamp, secret.secret);
  };
  const settings = { url, rules: outboundRules(config), everySeconds: minutes * 60, sign };
  const deps = { ...runtime, ...settings, eventIdPointer: eventIdPointerOf(config, contract) };
  const canaries = untilClosed((closed) => sendCanaries(deps, AbortSignal.any([signal, closed])));
  closers.add('canary', () => canaries.close());
}
