import type { Config } from '../../config.js';
import { AppError } from '../../errors.js';
import type { MerchantClient } from '../../service-api/client.js';
import { ForbiddenError } from '../../service-api/service-errors.js';
import type { WebhookEndpoint } from '../../service-api/wire/webhooks.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

const CLOCK_LIMIT_MS = 5_000;
/** The types that a payment's state hangs on. */
const NEEDED = 'payment_intent.';

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
    const account = ok('account', 'a business account: the endpoint list is open to it');
    const ours = data.filter(({ url }) => isOurs(url ?? '', config));
    if (ours.length === 0) {
      const wanted = config.WEBHOOK_PUBLIC_URL ?? `an address that ends in ${config.WEBHOOK_PATH}`;
      return [
        account,
        finding(
          'endpoint',
          `none of ${data.length} endpoints is ${wanted}`,
          'create one in the service’s dashboard and put its secret into WEBHOOK_SECRETS',
        ),
      ];
    }
    return [account, ...ours.map(judgeEndpoint)];
  } catch (error) {
    if (error instanceof ForbiddenError)
      return [unknown('account', 'no business account, or a key without the right: the endpoint list is closed to it')];
    if (error instanceof AppError) return [unknown('endpoint', error.message)];
    throw error;
  }
}

function judgeEndpoint({ id, isActive, events }: WebhookEndpoint): Check {
  if (isActive === false) return finding('endpoint', `${id} is inactive`, 'activate it in the service’s dashboard');
  if ((events ?? []).some((event) => event.startsWith(NEEDED) || event === '*'))
    return ok('endpoint', `${id} is active, subscribed to ${events?.length ?? 0} event types`);
  const found = `${id} is not subscribed to payment_intent events`;
  return finding('endpoint', found, 'subscribe it in the service’s dashboard');
}

function isOurs(url: string, { WEBHOOK_PUBLIC_URL, WEBHOOK_PATH }: Config): boolean {
  if (WEBHOOK_PUBLIC_URL !== undefined) return url.replace(/\/$/, '') === WEBHOOK_PUBLIC_URL.replace(/\/$/, '');
  return URL.canParse(url) && new URL(url).pathname === WEBHOOK_PATH;
}
