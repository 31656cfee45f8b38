import { type Config, secretsSource } from '../../config.js';
import { conditionNamed, remedyOf } from '../../domain/alerts/alerts.js';
import type { Outage } from '../../domain/alerts/facts.js';
import { AWAY_RUNS } from '../../domain/alerts/outage-words.js';
import { isOwnUrl } from '../../domain/deliveries/endpoint-rules.js';
import { placeOf } from '../../domain/deliveries/last-secret.js';
import { lackingEvents } from '../../domain/deliveries/secret-verdict.js';
import { counted } from '../../domain/in-words.js';
import { notices } from '../../domain/state/notices.js';
import { AppError } from '../../errors.js';
import type { WebhookEndpoint } from '../../service-api/answer-records.js';
import type { ServiceClient } from '../../service-api/client.js';
import type { ClockBounds } from '../../service-api/service-clock.js';
import { ForbiddenError, ServiceError, UnauthorizedError, UnavailableError } from '../../service-api/service-errors.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

const CLOCK_LIMIT_MS = 5_000;

/** What the first question says of the service. */
export interface ServiceProbed {
  checks: Check[];
  /** Why it makes no sense to ask for more; null: it does, also where it was this list alone that could not be read. */
  unreached: string | null;
  /** What keeps it from being asked, as runs would note it; null: nothing, or not the service. */
  outage: Outage | null;
}

export async function checkService({ client, config, now }: DoctorParts): Promise<ServiceProbed> {
  try {
    const { data } = await client.reply('listPaymentIntents', { query: { take: 1 } });
    const found = Array.isArray(data) && data.length > 0 ? 'has payments' : 'has no payment yet';
    const checks = [ok('service', `${config.SERVICE_BASE_URL} answers, and ${found}`), checkClock(client, config)];
    return { checks, unreached: null, outage: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hasAnswered = error instanceof ServiceError && error.status !== null;
    const isReached =
      hasAnswered && !(error instanceof UnauthorizedError) && !(isFailure(error) && (await failsAgain(client)));
    const check = finding(error instanceof UnauthorizedError ? 'key' : 'service', error.message, remedyFor(error));
    if (isReached) return { checks: [check], unreached: null, outage: null };
    const outage = outageOf(error, now());
    return { checks: [check], unreached: outage === null ? error.message : titles[outage.why], outage };
  }
}

const titles = {
  away: conditionNamed('TallyhookServiceAway')?.summary ?? '',
  refused: notices['KeyRefused']?.summary ?? '',
} as const;

function outageOf(error: AppError, now: Date): Outage | null {
  const isRefused = error instanceof UnauthorizedError;
  if (!isRefused && !(error instanceof UnavailableError) && !isFailure(error)) return null;
  return {
    why: isRefused ? 'refused' : 'away',
    since: now.toISOString(),
    seconds: 0,
    runs: AWAY_RUNS,
    attempts: 0,
    operations: 1,
    what: 'calls of listPaymentIntents',
    error: `${error.code}: ${error.message}`,
    webhookAt: null,
  };
}

const isFailure = (error: unknown) => error instanceof ServiceError && (error.status ?? 0) >= 500;

/** Whether another list fails as well: then it is the service that does, and each further question would say the same. */
async function failsAgain(client: ServiceClient): Promise<boolean> {
  try {
    await client.reply('listInvoices', { query: { take: 1 } });
    return false;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return isFailure(error);
  }
}

/** Where the state has a word for it, that of the state. */
function remedyFor(error: AppError): string {
  if (error instanceof UnavailableError) return remedyOf({ name: 'TallyhookServiceAway', subject: '' });
  if (error instanceof UnauthorizedError) return notices['KeyRefused']?.remedy ?? error.remedy;
  if (error instanceof ServiceError) return `${error.remedy}; see SERVICE_BASE_URL and SERVICE_API_KEY`;
  return 'ask again when fewer calls wait for their turn (SERVICE_RATE)';
}

function checkClock(client: ServiceClient, { WEBHOOK_TOLERANCE_SECONDS }: Config): Check {
  const bounds = client.clock();
  if (!bounds) return unknown('clock', 'the service’s answers carry no Date');
  const { low, high } = bounds;
  const found = `the service’s clock is ${clockWords(bounds)}`;
  if (low <= CLOCK_LIMIT_MS && high >= -CLOCK_LIMIT_MS) return ok('clock', found);
  return finding(
    'clock',
    found,
    `synchronize this machine’s clock (NTP); events older than ${WEBHOOK_TOLERANCE_SECONDS} s are rejected`,
  );
}

/** Whether our endpoint is registered, active and subscribed; reserved for business accounts (specification 4.21). */
export async function checkEndpoint({ client, config, contract }: DoctorParts): Promise<Check[]> {
  try {
    const { data } = await client.listWebhookEndpoints();
    const account = ok('account', 'a business account: the endpoint list is open to it');
    return [account, ...checkEndpoints(data, { config, needed: contract.events.needed })];
  } catch (error) {
    if (error instanceof ForbiddenError)
      return [unknown('account', 'no business account, or a key without the right: the endpoint list is closed to it')];
    if (error instanceof AppError) return [unknown('endpoint', error.message)];
    throw error;
  }
}

function checkEndpoints(
  all: readonly WebhookEndpoint[],
  { config, needed }: { config: Config; needed: readonly string[] },
): Check[] {
  const address = { publicUrl: config.WEBHOOK_PUBLIC_URL ?? null, webhookPath: config.WEBHOOK_PATH };
  const ours = all.filter(({ url }) => isOwnUrl(url ?? null, address) === true);
  const active = ours.filter(({ isActive }) => isActive !== false);
  if (ours.length === 0) {
    const wanted = config.WEBHOOK_PUBLIC_URL ?? `an address that ends in ${config.WEBHOOK_PATH}`;
    const remedy = `create one in the service’s dashboard and put its secret into ${placeOf(secretsSource(config))}, or correct WEBHOOK_PUBLIC_URL`;
    return [finding('endpoint', `none of ${counted(all.length, 'endpoint')} is ${wanted}`, remedy)];
  }
  return ours.map((endpoint) => {
    if (endpoint.isActive !== false) return checkEvents(endpoint, active, needed);
    // While a secret is changed there are two, and the old one is switched off.
    if (active.length > 0) return ok('endpoint', `${endpoint.id} is inactive, another of ours is active`);
    return finding('endpoint', `${endpoint.id} is inactive`, 'activate it in the service’s dashboard');
  });
}

/** Together our active endpoints must receive all that is needed. */
function checkEvents(
  { id, events }: WebhookEndpoint,
  active: readonly WebhookEndpoint[],
  needed: readonly string[],
): Check {
  if (!events) return unknown('endpoint', `${id} is active; what it is subscribed to is not shown`);
  const all = active.flatMap((endpoint) => endpoint.events ?? ['*']);
  const missing = lackingEvents(needed, all);
  if (missing.length === 0) return ok('endpoint', `${id} is active, subscribed to ${events.length} event types`);
  const remedy =
    'subscribe it in the service’s dashboard, or name in CONTRACT_FILE (events.needed) the types that you have a use for';
  return finding('endpoint', `${id} is not subscribed to ${missing.join(', ')}`, remedy);
}

/** Where the service's clock stands, as `22 days 7 h behind ours`; `low` and `high` are in ms, positive where it is ahead. */
export function clockWords({ low, high }: ClockBounds): string {
  const [least, most] = [Math.round(low), Math.round(high)];
  if (least > 0) return `${between(least, most)} ahead of ours`;
  if (most < 0) return `${between(-most, -least)} behind ours`;
  const sides = [
    ...(least < 0 ? [`${spanWords(-least)} behind`] : []),
    ...(most > 0 ? [`${spanWords(most)} ahead`] : []),
  ];
  if (sides.length === 0) return 'level with ours';
  return `at most ${sides.join(' and ')}${most > 0 ? ' of' : ''} ours`;
}

function between(least: number, most: number): string {
  const [from, to] = [spanWords(least), spanWords(most)];
  return from === to ? from : `${from} to ${to}`;
}

/** In the two greatest units that there are of it. */
function spanWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 60) return `${tenths} s`;
  const seconds = Math.round(ms / 1_000);
  const units: [string, number][] = [
    [seconds < 172_800 ? ' day' : ' days', Math.floor(seconds / 86_400)],
    [' h', Math.floor(seconds / 3_600) % 24],
    [' min', Math.floor(seconds / 60) % 60],
    [' s', seconds % 60],
  ];
  const first = units.findIndex(([, count]) => count > 0);
  const parts = units.slice(first, first + 2).filter(([, count]) => count > 0);
  return parts.map(([unit, count]) => `${count}${unit}`).join(' ');
}
