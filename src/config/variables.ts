import { z } from 'zod';
import { isOfDocuments, refuseSecret, weakness } from './examples.js';
import { consoleTokens, webhookSecrets } from './labelled-lists.js';
import {
  bodyLimit,
  cron,
  eventIdPointer,
  httpUrl,
  instant,
  onOrOff,
  perSecond,
  proxies,
  readableFile,
  redisUrl,
  timeZone,
  urlOf,
  wholeNumber,
} from './values.js';

/** One environment variable. `accepts` finishes the sentence "accepted is …"; `source` says where to get a value. */
export interface Variable {
  schema: z.ZodType<unknown, string>;
  accepts: string;
  fallback?: string;
  /** Never shown; may also come from the file that NAME_FILE names. */
  secret?: true;
  source?: string;
}

const port = { schema: wholeNumber(0, 65_535), accepts: 'a port, 0 to 65535; 0 is any free one' };
const seconds = { schema: wholeNumber(0, 31_536_000), accepts: 'whole seconds, 0 or more' };
const onOff = { schema: onOrOff, accepts: 'on or off' };
const days = { schema: wholeNumber(1, 36_500), accepts: 'whole days, 1 or more' };
const host = { schema: z.string().regex(/^[\w.:-]+$/), accepts: 'a host name or an address to listen on' };
const runsAt = { schema: cron, accepts: 'a cron expression of 5 or 6 fields, or off' };
const alertUrl = { schema: httpUrl, accepts: 'an http:// or https:// address', secret: true } as const;
/** The key of a Standard Webhooks signature that we make. */
const sendingSecret = {
  schema: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .superRefine((secret, context) => {
      const clause = weakness(secret);
      if (clause !== null) refuseSecret(context, `which ${clause}`);
    }),
  accepts: '16 characters or more, without spaces, of your own',
  secret: true,
  source: 'made up by you, e.g. whsec_$(openssl rand -base64 32)',
} as const;

/** Everything that can be set (interface: "Configuration"). */
export const variables = {
  DATABASE_URL: {
    schema: urlOf(/^postgres(ql)?$/),
    accepts: 'postgres://user:password@host:port/database',
    secret: true,
    source: 'unset, an embedded Postgres under ./.tallyhook/ is used',
  },
  DATABASE_DIRECT_URL: {
    schema: urlOf(/^postgres(ql)?$/),
    accepts: 'postgres://user:password@host:port/database, the same database as in DATABASE_URL',
    secret: true,
  },
  DATABASE_PASSWORD: {
    schema: z.string(),
    accepts: 'the password of the user in DATABASE_URL, of any characters, where DATABASE_URL has none',
    secret: true,
  },
  REDIS_URL: {
    schema: redisUrl,
    accepts: 'redis://host:port or rediss://host:port; of a cluster redis://host:port,host:port,…',
    secret: true,
  },
  SERVICE_BASE_URL: {
    schema: httpUrl,
    accepts: 'the http:// or https:// address that the paths /v1/… are appended to',
    source: "the payment service's API documentation",
  },
  SERVICE_API_KEY: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .refine((key) => !isOfDocuments(key)),
    accepts: 'printable characters without spaces',
    secret: true,
    source: "the payment service's dashboard, API keys; the receiver alone (tallyhook serve) needs none",
  },
  WEBHOOK_SECRETS: {
    schema: webhookSecrets,
    accepts: 'label=whsec_…,label=whsec_…; labels of letters, digits, _ . - and no label twice',
    secret: true,
    source: "the payment service's dashboard, shown once when a webhook endpoint is created",
  },
  WEBHOOK_PUBLIC_URL: { schema: httpUrl, accepts: 'our http:// or https:// address as the service knows it' },
  PORT: { ...port, fallback: '8080' },
  HOST: { ...host, fallback: '0.0.0.0' },
  CONSOLE_PORT: { ...port, fallback: '8081' },
  CONSOLE_HOST: { ...host, fallback: '127.0.0.1' },
  METRICS_PORT: port,
  CONSOLE_TOKENS: {
    schema: consoleTokens,
    accepts:
      'name:role:token,…; roles viewer, operator, finance, admin; tokens of your own of 16 characters or more; no name and no token twice',
    secret: true,
    source: 'made up by you, e.g. admin:admin:$(openssl rand -hex 24)',
  },
  DRAIN_SECONDS: { schema: wholeNumber(0, 300), accepts: 'whole seconds, 0 to 300', fallback: '5' },
  TRUSTED_PROXIES: {
    schema: proxies,
    accepts:
      'addresses and networks such as 10.0.0.5,192.168.1.0/24, comma between; or loopback, linklocal, uniquelocal',
  },
  WEBHOOK_PATH: {
    schema: z
      .string()
      .regex(/^\/[\w\-./~]*$/)
      .refine((path) => !/^\/(livez|readyz)?$/.test(path)),
    accepts: 'a path such as /webhooks; not /, /livez or /readyz',
    fallback: '/webhooks',
  },
  WEBHOOK_BODY_LIMIT: { schema: bodyLimit, accepts: 'a size such as 1mb, 512kb or 65536 (bytes)', fallback: '1mb' },
  WEBHOOK_TOLERANCE_SECONDS: { ...seconds, fallback: '300' },
  WEBHOOK_FUTURE_TOLERANCE_SECONDS: { ...seconds, fallback: '60' },
  EVENT_ID_POINTER: {
    schema: eventIdPointer,
    accepts:
      'auto, none, header:Name, or a JSON pointer into the event such as /eventId; not /data/id, which is the record',
    fallback: 'auto',
  },
  CONTRACT_FILE: { schema: readableFile, accepts: 'the path of a file that can be read' },
  ADOPTED_AT: {
    schema: instant,
    accepts: 'a date or time such as 2026-10-01 or 2026-10-01T00:00:00Z, not in the future',
  },
  RECONCILE_PAYMENT_INTENTS_CRON: runsAt,
  RECONCILE_INVOICES_CRON: runsAt,
  RECONCILE_PAYOUTS_CRON: runsAt,
  RECONCILE_ACCOUNTS_CRON: runsAt,
  RECONCILE_TRANSACTIONS_CRON: runsAt,
  RECONCILE_BALANCES_CRON: runsAt,
  RECONCILE_DELIVERIES_CRON: runsAt,
  RECONCILE_ENDPOINTS_CRON: runsAt,
  RECONCILE_CATALOG_CRON: runsAt,
  SERVICE_RATE: { schema: perSecond, accepts: 'calls per time such as 5/s or 300/min', fallback: '5/s' },
  MISSED_GRACE_SECONDS: { ...seconds, fallback: '900' },
  PAYOUT_GRACE_SECONDS: { ...seconds, fallback: '86400' },
  RELEASE_REQUIRES_REGISTRATION: { ...onOff, fallback: 'off' },
  RETENTION_BODY_DAYS: { ...days, fallback: '90' },
  RETENTION_KEY_DAYS: { ...days, fallback: '400' },
  RETENTION_PERSONAL_DAYS: { ...days, fallback: '400' },
  BOOKS_TIMEZONE: { schema: timeZone, accepts: 'a time zone such as Europe/Berlin', fallback: 'UTC' },
  CHART_FILE: { schema: readableFile, accepts: 'the path of a file that can be read' },
  REPORTING_CURRENCY: { schema: z.string().regex(/^[A-Z]{3}$/), accepts: 'a currency such as USD', fallback: 'USD' },
  STORE_CALLBACK_URL: { schema: httpUrl, accepts: 'an http:// or https:// address' },
  STORE_CALLBACK_SECRET: sendingSecret,
  ALERT_SLACK_URL: alertUrl,
  ALERT_WEBHOOK_URL: alertUrl,
  ALERT_WEBHOOK_SECRET: sendingSecret,
  ALERT_SMTP_URL: { schema: urlOf(/^smtps?$/), accepts: 'smtp://user:password@host:port', secret: true },
  ALERT_EMAIL_TO: {
    schema: z.string().regex(/^[^\s@,]+@[^\s@,]+(,[^\s@,]+@[^\s@,]+)*$/),
    accepts: 'addresses, comma between',
  },
  ALERT_HEARTBEAT_URL: alertUrl,
  OUTBOUND_PRIVATE_NETWORKS: { ...onOff, fallback: 'off' },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    accepts: 'fatal, error, warn, info, debug, trace or silent',
    fallback: 'info',
  },
} satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;

type Value<N extends VariableName> = z.output<(typeof variables)[N]['schema']>;

/** What was set, or its default; undefined where neither is there. */
export type Config = {
  [N in VariableName]: (typeof variables)[N] extends { fallback: string } ? Value<N> : Value<N> | undefined;
} & {
  /** The file that WEBHOOK_SECRETS came from, to be read again when it changes. */
  WEBHOOK_SECRETS_FILE: string | undefined;
  /** The setting that held the database's password, where DATABASE_URL has none. */
  passwordSetting: string | undefined;
};
