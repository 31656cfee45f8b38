import type { Command } from 'commander';
import type { Role } from '../config/variable.js';

interface Verb {
  name: string;
  summary: string;
  /** Loads what the verb needs and returns what declares its words and its action. */
  load: () => Promise<Define>;
}

type Define = (command: Command) => void;

const runs =
  (...roles: Role[]) =>
  async () => ({ define: (await import('./roles.js')).defineRoles(...roles) });

/** In the order of the help text. One file per verb or group of verbs, loaded when it is asked for. */
const table: [name: string, summary: string, load: () => Promise<{ define: Define }>][] = [
  [
    'start',
    'run receiver, workers, scheduler and console in one process',
    runs('receiver', 'worker', 'scheduler', 'console'),
  ],
  ['serve', 'run the receiver of webhooks', runs('receiver')],
  ['work', 'run the workers that apply received events', runs('worker')],
  ['schedule', 'run the reconcilers; of several, one leads', runs('scheduler')],
  ['console', 'run the read API and the operators’ pages', runs('console')],
  ['migrate', 'bring the database up to date', () => import('./migrate.js')],
  ['status', 'what on-call needs first, in five lines', () => import('./status.js')],
  ['doctor', 'probe every dependency and assumption, each with its remedy', () => import('./doctor.js')],
  ['reconcile', 'poll the service’s own lists now, correct and prove our records', () => import('./reconcile.js')],
  ['events', 'received events: list, show, replay', () => import('./events.js')],
  ['deliveries', 'what the service delivered and we miss; recover it', () => import('./deliveries.js')],
  ['scorecard', 'what the service did in a month: events, delays, its API', () => import('./scorecard.js')],
  ['rejections', 'rejected requests, and what to do', () => import('./rejections.js')],
  ['breaks', 'differences between us and the service: list, show, decide', () => import('./breaks.js')],
  ['balances', 'balances: opening, movements, and what no list shows', () => import('./balances.js')],
  ['books', 'the books: a month’s accounts and income, the chart, rates of finance', () => import('./books.js')],
  [
    'match',
    'orders and invoices against payments and the books: what agrees, what does not, and why',
    () => import('./match.js'),
  ],
  ['settlements', 'settlements to the bank: list, mark what arrived', () => import('./settlements.js')],
  ['periods', 'months of the books: what is missing to close one, close, reopen', () => import('./periods.js')],
  [
    'decisions',
    'what one person asked of finance and another approves: list, show, decide',
    () => import('./decisions.js'),
  ],
  [
    'export',
    'a month of the books as files: csv, ndjson, xlsx, hledger, beancount, journal, datev',
    () => import('./export.js'),
  ],
  [
    'audit',
    'whether anything was changed since it was written, and what an auditor takes along',
    () => import('./audit.js'),
  ],
  ['alerts', 'what is sent to people, and a test of every channel', () => import('./alerts.js')],
  [
    'parts',
    'receiver and worker: when each was last at work, and which is no longer expected',
    () => import('./parts.js'),
  ],
  ['callbacks', 'what is sent to the store about its orders: list, replay', () => import('./callbacks.js')],
  ['find', 'anything by its id, a hash, an address or an e-mail, and why goods are held', () => import('./find.js')],
  ['orders', 'orders by status and by what came in; the timeline of one', () => import('./orders.js')],
  ['api', 'any call of the service’s Merchant API', () => import('./api.js')],
  [
    'calls',
    'creating calls of ours: which are not settled, and what a person says of a lost one',
    () => import('./calls.js'),
  ],
  [
    'refunds',
    'payouts that may give money back and that no payment owns: list, and say whose they are',
    () => import('./refunds.js'),
  ],
  ['trigger', 'sign a test event and send it to the receiver', () => import('./trigger.js')],
  ['signature', 'sign or verify a body as the service does', () => import('./signature.js')],
  ['secrets', 'the signing secrets and the evidence for a rotation', () => import('./secrets.js')],
  ['demo', 'a whole Tallyhook beside a sandbox service with live traffic and faults', () => import('./demo.js')],
  ['sandbox', 'run an emulator of the payment service', () => import('./sandbox.js')],
];

export const verbs: readonly Verb[] = table.map(([name, summary, load]) => ({
  name,
  summary,
  load: async () => (await load()).define,
}));
