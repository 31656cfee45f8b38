import { z } from 'zod';
import { USUAL_RATE } from '../domain/own-calls.js';
import { consoleVariables } from './console-variables.js';
import { crons } from './cron-variables.js';
import { serviceKey, webhookSecrets } from './labelled-lists.js';
import {
  bodyLimit,
  eventIdPointer,
  httpUrl,
  instant,
  perSecond,
  redisUrl,
  timeZone,
  urlOf,
  webhookPath,
  wholeNumber,
} from './values.js';
import {
  ALERTING,
  alertUrl,
  days,
  file,
  host,
  onOff,
  port,
  seconds,
  sendingSecret,
  type Variable,
} from './variable.js';

type Variables = Readonly<Record<string, Variable>>;

const KEY_HOLDERS = ['worker', 'scheduler', 'console'] as const;

const service = {
  SERVICE_BASE_URL: {
    schema: httpUrl,
    accepts: 'the http:// or https:// address that the paths /v1/… are appended to',
    meaning: 'The payment service.',
    source: "the payment service's API documentation",
    neededBy: ['receiver', ...KEY_HOLDERS],
  },
  SERVICE_API_KEY: {
    schema: serviceKey,
    accepts: 'printable characters without spaces',
    meaning: 'Our key of the service. A receiver that runs alone (tallyhook serve) needs none.',
    secret: true,
    source: "the payment service's dashboard, API keys; the receiver alone (tallyhook serve) needs none",
    neededBy: KEY_HOLDERS,
    usedBy: KEY_HOLDERS,
  },
  WEBHOOK_SECRETS: {
    schema: webhookSecrets,
    accepts: 'label=whsec_…,label=whsec_…; labels of letters, digits, _ . - and no label twice',
    meaning:
      'label=whsec_…,label=whsec_…: a webhook that any of them signed is accepted. The service shows a secret once, when a webhook endpoint is created. A file is read again when it changes.',
    secret: true,
    source: "the payment service's dashboard, shown once when a webhook endpoint is created",
    neededBy: ['receiver'],
    usedBy: ['receiver', 'worker', 'console'],
  },
  WEBHOOK_PUBLIC_URL: {
    schema: httpUrl,
    accepts: 'our http:// or https:// address as the service knows it',
    meaning:
      'Our address as the service knows it. It distinguishes our endpoint and deliveries from another system’s. Unset: every endpoint whose path is WEBHOOK_PATH is ours.',
    example: 'https://shop.example.com/webhooks',
  },
  CANARY_MINUTES: {
    schema: wholeNumber(1, 1_440),
    accepts: 'whole minutes, 1 to 1440',
    meaning:
      'How often the worker sends a signed test event to WEBHOOK_PUBLIC_URL and follows it until it is applied; docs/operate.md, “The canary”. Needs WEBHOOK_PUBLIC_URL and WEBHOOK_SECRETS. Unset: none is sent.',
    example: '5',
    usedBy: ['worker'],
  },
  SERVICE_RATE: {
    schema: perSecond,
    accepts: 'calls per time such as 5/s or 300/min',
    meaning: 'How many calls to the service all processes together may make.',
    fallback: `${USUAL_RATE}/s`,
  },
  CONTRACT_FILE: { ...file, meaning: 'JSON that overrides names of docs/contract.md.', example: 'contract.json' },
  ADOPTED_AT: {
    schema: instant,
    accepts: 'a date or time such as 2026-10-01 or 2026-10-01T00:00:00Z, not in the future',
    meaning:
      'Records older than this are history: no breaks, no callbacks. Read at the first start only, and kept. Unset: the time of that start.',
    example: '2026-10-01T00:00:00Z',
  },
} satisfies Variables;

const postgres = {
  schema: urlOf(/^postgres(ql)?$/),
  example: 'postgres://user:password@127.0.0.1:5432/tallyhook',
  secret: true,
} as const;

const data = {
  DATABASE_URL: {
    ...postgres,
    accepts: 'postgres://user:password@host:port/database',
    meaning: 'Unset: an embedded Postgres under ./.tallyhook/.',
    source: 'unset, an embedded Postgres under ./.tallyhook/ is used',
  },
  DATABASE_DIRECT_URL: {
    ...postgres,
    accepts: 'postgres://user:password@host:port/database, the same database as in DATABASE_URL',
    meaning:
      'Needed where DATABASE_URL is a pooler in transaction mode: the same database directly, for locks, the queue and migrations.',
  },
  DATABASE_PASSWORD: {
    schema: z.string(),
    accepts: 'the password of the user in DATABASE_URL, of any characters, where DATABASE_URL has none',
    meaning: 'In place of a password in DATABASE_URL, which would have to be percent-encoded.',
    secret: true,
  },
  REDIS_URL: {
    schema: redisUrl,
    accepts: 'redis://host:port or rediss://host:port; of a cluster redis://host:port,host:port,…',
    meaning:
      'Unset: the queues are kept in Postgres. A Redis Cluster: redis://user:password@host:port,host:port,host:port (rediss:// for TLS), or ?cluster=true behind the one name that finds all of it.',
    example: 'redis://127.0.0.1:6379',
    secret: true,
  },
} satisfies Variables;

const receiver = {
  PORT: { ...port, meaning: 'The public port: the webhook path, /livez and /readyz.', fallback: '8080' },
  HOST: { ...host, meaning: 'The address at which PORT listens.', fallback: '0.0.0.0' },
  WEBHOOK_PATH: {
    schema: webhookPath,
    accepts: 'a path such as /webhooks; not /, /livez or /readyz',
    meaning: 'Where the service sends webhooks.',
    fallback: '/webhooks',
  },
  WEBHOOK_BODY_LIMIT: {
    schema: bodyLimit,
    accepts: 'a size such as 1mb, 512kb or 65536 (bytes)',
    meaning: 'A larger body is answered with 413.',
    fallback: '1mb',
  },
  WEBHOOK_TOLERANCE_SECONDS: { ...seconds, meaning: 'How old a signed timestamp may be.', fallback: '300' },
  WEBHOOK_FUTURE_TOLERANCE_SECONDS: { ...seconds, meaning: 'How far a signed timestamp may be ahead.', fallback: '60' },
  EVENT_ID_POINTER: {
    schema: eventIdPointer,
    accepts:
      'auto, none, header:Name, or a JSON pointer into the event such as /eventId; not /data/id, which is the record',
    meaning: 'Where the id of an event is: auto, none, header:Name, or a JSON pointer into the event.',
    fallback: 'auto',
  },
} satisfies Variables;

const reconciling = {
  ...crons,
  MISSED_GRACE_SECONDS: { ...seconds, meaning: 'A delivery that takes longer is missed.', fallback: '900' },
  PAYOUT_GRACE_SECONDS: {
    ...seconds,
    meaning: 'An open payout that does not change for longer is a break.',
    fallback: '86400',
  },
  RELEASE_REQUIRES_REGISTRATION: {
    ...onOff,
    meaning:
      'on: an order that the store did not register is never safe to release; docs/orders.md. The same for every role.',
    fallback: 'off',
  },
} satisfies Variables;

const keeping = {
  RETENTION_BODY_DAYS: {
    ...days,
    meaning: 'How long the bodies of finished events and of rejected requests are kept; docs/retention.md.',
    fallback: '90',
  },
  RETENTION_KEY_DAYS: {
    ...days,
    meaning:
      'How long the keys that recognise duplicates, and final deliveries, are kept. No less than RETENTION_BODY_DAYS.',
    fallback: '400',
  },
  RETENTION_PERSONAL_DAYS: { ...days, meaning: 'When personal data in records is masked.', fallback: '400' },
  BOOKS_TIMEZONE: {
    schema: timeZone,
    accepts: 'a time zone such as Europe/Berlin',
    meaning: 'The time zone of the days and months of the books.',
    fallback: 'UTC',
  },
  REPORTING_CURRENCY: {
    schema: z.string().regex(/^[A-Z]{3}$/),
    accepts: 'a currency such as USD',
    meaning: 'The currency of the books.',
    fallback: 'USD',
  },
  FOUR_EYES: {
    ...onOff,
    meaning:
      'on: what finance decides (attributions and rebooking them, write-offs, missing money of settlements, rates, closing a month with a reason, reopening one) is asked by one person and approved by another; docs/finance.md, “Four eyes”. The same for every role.',
    fallback: 'off',
  },
  SETTLEMENT_DAYS: {
    ...days,
    meaning: 'After how long a settlement whose money did not arrive is late.',
    fallback: '5',
  },
  CHART_FILE: {
    ...file,
    meaning: 'JSON that gives the accounts of the books your own names; docs/finance.md.',
    example: 'chart.json',
  },
} satisfies Variables;

const sending = {
  STORE_CALLBACK_URL: {
    schema: httpUrl,
    accepts: 'an https:// address; http:// only to this machine, where SERVICE_BASE_URL is on it',
    meaning:
      'The store’s address that gets each changed order, signed by the Standard Webhooks scheme; docs/operate.md.',
    example: 'https://shop.example.com/tallyhook',
    usedBy: ['scheduler'],
  },
  STORE_CALLBACK_SECRET: { ...sendingSecret, meaning: 'Signs what goes to STORE_CALLBACK_URL.', usedBy: ['scheduler'] },
  ALERT_SLACK_URL: { ...alertUrl, meaning: 'A chat that gets alerts.' },
  ALERT_WEBHOOK_URL: { ...alertUrl, meaning: 'A program that gets alerts, signed like callbacks.' },
  ALERT_WEBHOOK_SECRET: { ...sendingSecret, meaning: 'Signs what goes to ALERT_WEBHOOK_URL.', usedBy: ALERTING },
  ALERT_SMTP_URL: {
    schema: urlOf(/^smtps?$/),
    accepts: 'smtp://user:password@host:port, or smtps://',
    meaning: 'The mail server that takes alerts.',
    example: 'smtp://user:password@mail.example.com:587',
    secret: true,
    usedBy: ALERTING,
  },
  ALERT_EMAIL_TO: {
    schema: z.string().regex(/^[^\s@,]+@[^\s@,]+(,[^\s@,]+@[^\s@,]+)*$/),
    accepts: 'addresses, comma between',
    meaning: 'Who gets the mail.',
    example: 'ops@example.com',
    usedBy: ALERTING,
  },
  ALERT_HEARTBEAT_URL: {
    ...alertUrl,
    meaning: 'Called each minute while alerts are checked and nothing critical fires.',
  },
  OUTBOUND_PRIVATE_NETWORKS: {
    ...onOff,
    meaning: 'on: callbacks and alerts may go to private networks.',
    fallback: 'off',
  },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    accepts: 'fatal, error, warn, info, debug, trace or silent',
    meaning: 'JSON lines; readable ones on a terminal. There a command that ends has none, unless this is set.',
    fallback: 'info',
  },
} satisfies Variables;

/** Everything that can be set (interface: "Configuration"), under the headings of .env.example and docs/configuration.md. */
export const variableGroups = {
  'The payment service': service,
  'Where data lives': data,
  'Receiver (public)': receiver,
  'Console, read API and metrics (private)': consoleVariables,
  'Reconciling and orders': reconciling,
  'Keeping and books': keeping,
  'Callbacks, alerts and the log': sending,
} satisfies Record<string, Variables>;

export const variables = {
  ...service,
  ...data,
  ...receiver,
  ...consoleVariables,
  ...reconciling,
  ...keeping,
  ...sending,
};

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
