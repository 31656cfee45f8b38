import type { Command } from 'commander';

interface Verb {
  name: string;
  summary: string;
  /** Loads what the verb needs and returns what declares its words and its action. */
  load: () => Promise<(command: Command) => void>;
}

/** Every verb, in the order of the help text. One file per verb or group of verbs, loaded when it is asked for. */
export const verbs: readonly Verb[] = [
  {
    name: 'start',
    summary: 'run receiver, workers, scheduler and console in one process',
    load: async () => (await import('./roles.js')).defineRoles('receiver', 'worker', 'scheduler', 'console'),
  },
  {
    name: 'serve',
    summary: 'run the receiver of webhooks',
    load: async () => (await import('./roles.js')).defineRoles('receiver'),
  },
  {
    name: 'work',
    summary: 'run the workers that apply received events',
    load: async () => (await import('./roles.js')).defineRoles('worker'),
  },
  {
    name: 'schedule',
    summary: 'run the reconcilers; of several, one leads',
    load: async () => (await import('./roles.js')).defineRoles('scheduler'),
  },
  {
    name: 'console',
    summary: 'run the read API and the operators’ pages',
    load: async () => (await import('./roles.js')).defineRoles('console'),
  },
  {
    name: 'migrate',
    summary: 'bring the database up to date',
    load: async () => (await import('./migrate.js')).defineMigrate,
  },
  {
    name: 'doctor',
    summary: 'probe every dependency and assumption, each with its remedy',
    load: async () => (await import('./doctor.js')).defineDoctor,
  },
  {
    name: 'reconcile',
    summary: 'poll the service’s own lists now, correct and prove our records',
    load: async () => (await import('./reconcile.js')).defineReconcile,
  },
  {
    name: 'events',
    summary: 'received events: list, show, replay',
    load: async () => (await import('./events.js')).defineEvents,
  },
  {
    name: 'deliveries',
    summary: 'what the service delivered and we miss; recover it',
    load: async () => (await import('./deliveries.js')).defineDeliveries,
  },
  {
    name: 'rejections',
    summary: 'rejected requests, and what to do',
    load: async () => (await import('./rejections.js')).defineRejections,
  },
  {
    name: 'breaks',
    summary: 'differences between us and the service: list, show, decide',
    load: async () => (await import('./breaks.js')).defineBreaks,
  },
  {
    name: 'balances',
    summary: 'balances: opening, movements, and what no list shows',
    load: async () => (await import('./balances.js')).defineBalances,
  },
  {
    name: 'books',
    summary: 'the books: the chart of accounts, and rates that finance gives',
    load: async () => (await import('./books.js')).defineBooks,
  },
  {
    name: 'match',
    summary: 'orders and invoices against payments and the books: what agrees, what does not, and why',
    load: async () => (await import('./match.js')).defineMatch,
  },
  {
    name: 'periods',
    summary: 'months of the books: what is missing to close one, close, reopen',
    load: async () => (await import('./periods.js')).definePeriods,
  },
  {
    name: 'export',
    summary: 'a month of the books as files: csv, ndjson, xlsx, hledger, beancount',
    load: async () => (await import('./export.js')).defineExport,
  },
  {
    name: 'audit',
    summary: 'whether anything was changed since it was written, and what an auditor takes along',
    load: async () => (await import('./audit.js')).defineAudit,
  },
  {
    name: 'alerts',
    summary: 'what is sent to people, and a test of every channel',
    load: async () => (await import('./alerts.js')).defineAlerts,
  },
  {
    name: 'parts',
    summary: 'receiver and worker: when each was last at work, and which is no longer expected',
    load: async () => (await import('./parts.js')).defineParts,
  },
  {
    name: 'callbacks',
    summary: 'what is sent to the store about its orders: list, replay',
    load: async () => (await import('./callbacks.js')).defineCallbacks,
  },
  {
    name: 'orders',
    summary: 'the timeline of one order',
    load: async () => (await import('./orders.js')).defineOrders,
  },
  {
    name: 'api',
    summary: 'any call of the service’s Merchant API',
    load: async () => (await import('./api.js')).defineApi,
  },
  {
    name: 'calls',
    summary: 'creating calls of ours: which are not settled, and what a person says of a lost one',
    load: async () => (await import('./calls.js')).defineCalls,
  },
  {
    name: 'refunds',
    summary: 'payouts that may give money back and that no payment owns: list, and say whose they are',
    load: async () => (await import('./refunds.js')).defineRefunds,
  },
  {
    name: 'trigger',
    summary: 'sign a test event and send it to the receiver',
    load: async () => (await import('./trigger.js')).defineTrigger,
  },
  {
    name: 'signature',
    summary: 'sign or verify a body as the service does',
    load: async () => (await import('./signature.js')).defineSignature,
  },
  {
    name: 'secrets',
    summary: 'the signing secrets and the evidence for a rotation',
    load: async () => (await import('./secrets.js')).defineSecrets,
  },
  {
    name: 'demo',
    summary: 'a whole Tallyhook beside a sandbox service with live traffic and faults',
    load: async () => (await import('./demo.js')).defineDemo,
  },
  {
    name: 'sandbox',
    summary: 'run an emulator of the payment service',
    load: async () => (await import('./sandbox.js')).defineSandbox,
  },
];
