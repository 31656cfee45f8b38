import type { Knex } from 'knex';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { MerchantClient } from '../service-api/client.js';
import { ForbiddenError } from '../service-api/service-errors.js';
import { secretsStatus } from '../webhook/rotation.js';

/** `unknown`: it could not be told, and why; neither good nor bad. */
export interface Check {
  name: string;
  status: 'ok' | 'finding' | 'unknown';
  found: string;
  /** What to do; null where nothing is to be done. */
  remedy: string | null;
}

export interface DoctorParts {
  db: Knex;
  config: Config;
  client: MerchantClient;
  ready: () => Promise<{ ok: boolean; problems: string[] }>;
}

const CLOCK_LIMIT_MS = 5_000;
/** The types that a payment's state hangs on. */
const NEEDED = 'payment_intent.';

export const ok = (name: string, found: string): Check => ({ name, status: 'ok', found, remedy: null });
export const finding = (name: string, found: string, remedy: string): Check => ({
  name,
  status: 'finding',
  found,
  remedy,
});
const unknown = (name: string, found: string, remedy: string | null = null): Check => ({
  name,
  status: 'unknown',
  found,
  remedy,
});

export async function checkDatabase({ ready }: DoctorParts): Promise<Check[]> {
  const { ok: isReady, problems } = await ready();
  if (isReady) return [ok('database', 'answers, both schemas are up to date')];
  return [finding('database', problems.join('; '), 'see that DATABASE_URL is reachable, then run: tallyhook migrate')];
}

/** The key works, and the two clocks agree: the age of an event is judged by ours. */
export async function checkService({ client, config }: DoctorParts): Promise<Check[]> {
  try {
    const { data } = await client.listPaymentIntents({ take: 1 });
    return [
      ok('service', `${config.SERVICE_BASE_URL} answers; newest payment: ${data[0]?.id ?? 'none'}`),
      checkClock(client, config),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      finding(
        'service',
        error.message,
        'check SERVICE_BASE_URL and SERVICE_API_KEY; the key must be one of this environment',
      ),
    ];
  }
}

function checkClock(client: MerchantClient, { WEBHOOK_TOLERANCE_SECONDS }: Config): Check {
  const bounds = client.clock();
  if (!bounds) return unknown('clock', 'the service’s answers carry no Date');
  const [low, high] = [Math.round(bounds.low), Math.round(bounds.high)];
  const found = `the service’s clock is between ${low} and ${high} ms ahead of ours`;
  if (low <= CLOCK_LIMIT_MS && high >= -CLOCK_LIMIT_MS) return ok('clock', found);
  return finding(
    'clock',
    found,
    `synchronize this machine’s clock (NTP); events older than ${WEBHOOK_TOLERANCE_SECONDS} s are refused`,
  );
}

/** Whether our endpoint is registered, active and subscribed; reserved for business accounts (specification 4.21). */
export async function checkEndpoint({ client, config }: DoctorParts): Promise<Check[]> {
  try {
    const { data } = await client.listWebhookEndpoints();
    const ours = data.filter(({ url }) => isOurs(url ?? '', config));
    if (ours.length === 0) {
      const wanted = config.WEBHOOK_PUBLIC_URL ?? `an address that ends in ${config.WEBHOOK_PATH}`;
      return [
        finding(
          'endpoint',
          `none of ${data.length} endpoints is ${wanted}`,
          'create one in the service’s dashboard and put its secret into WEBHOOK_SECRETS',
        ),
      ];
    }
    return ours.map(({ id, isActive, events }) => {
      if (isActive === false) return finding('endpoint', `${id} is inactive`, 'activate it in the service’s dashboard');
      const subscribed = (events ?? []).some((event) => event.startsWith(NEEDED) || event === '*');
      if (!subscribed)
        return finding(
          'endpoint',
          `${id} is not subscribed to payment_intent events`,
          'subscribe it in the service’s dashboard',
        );
      return ok('endpoint', `${id} is active, subscribed to ${events?.length ?? 0} event types`);
    });
  } catch (error) {
    if (error instanceof ForbiddenError)
      return [unknown('endpoint', 'the endpoint list is reserved for business accounts')];
    if (error instanceof AppError) return [unknown('endpoint', error.message)];
    throw error;
  }
}

function isOurs(url: string, { WEBHOOK_PUBLIC_URL, WEBHOOK_PATH }: Config): boolean {
  if (WEBHOOK_PUBLIC_URL !== undefined) return url.replace(/\/$/, '') === WEBHOOK_PUBLIC_URL.replace(/\/$/, '');
  return URL.canParse(url) && new URL(url).pathname === WEBHOOK_PATH;
}

export async function checkSecrets({ db, config }: DoctorParts): Promise<Check[]> {
  const configured = config.WEBHOOK_SECRETS ?? [];
  if (configured.length === 0)
    return [
      finding(
        'secrets',
        'WEBHOOK_SECRETS is not set',
        'put the secret in that was shown when the endpoint was created',
      ),
    ];
  const { items } = await secretsStatus(db, configured);
  return items.map(({ label, lastMatchAt, matches24h }) =>
    lastMatchAt === null
      ? unknown(`secret ${label}`, 'no event has come under it yet', 'send a test event from the service’s dashboard')
      : ok(`secret ${label}`, `last match ${lastMatchAt}, ${matches24h} in 24 h`),
  );
}

interface Overview {
  waiting: string;
  dead: string;
  open: string;
  critical: string;
  last: Date | null;
}

/** What waits, what is open, and when the last complete run was. */
export async function checkWork({ db }: DoctorParts): Promise<Check[]> {
  const { rows } = await db.raw<{ rows: Overview[] }>(`
    SELECT (SELECT count(*) FROM inbox WHERE status IN ('received', 'failed') AND received_at < now() - interval '1 minute') AS waiting,
           (SELECT count(*) FROM inbox WHERE status = 'dead') AS dead,
           (SELECT count(*) FROM breaks WHERE status = 'open') AS open,
           (SELECT count(*) FROM breaks WHERE status = 'open' AND severity = 'critical') AS critical,
           (SELECT max(started_at) FROM runs WHERE kind = 'payment-intents' AND complete) AS last`);
  const now = rows[0];
  if (!now) return [];
  return [
    now.waiting === '0'
      ? ok('events', 'none has waited for more than a minute')
      : finding(
          'events',
          `${now.waiting} have waited for more than a minute`,
          'see that a worker runs; tallyhook events list --status failed tells why',
        ),
    now.dead === '0'
      ? ok('dead events', 'none')
      : finding('dead events', now.dead, 'tallyhook events list --status dead, then events replay ID'),
    now.open === '0'
      ? ok('breaks', 'none is open')
      : finding('breaks', `${now.open} open, ${now.critical} of them critical`, 'tallyhook breaks list --status open'),
    now.last
      ? ok('payment-intents', `proven complete as of ${now.last.toISOString()}`)
      : finding('payment-intents', 'no complete run yet', 'tallyhook reconcile payment-intents'),
  ];
}
