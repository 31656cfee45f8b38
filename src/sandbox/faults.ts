import type { PayloadShape } from './webhooks/event-subject.js';

/**
 * How the service misbehaves, and which of the things the specification leaves open it does in which way.
 * Numbers called a chance lie between 0 and 1; every draw comes from the seed.
 */
export interface Faults {
  // Deliveries
  /** Chance that an event is not generated at all: no delivery, to nobody. */
  swallow: number;
  /** Chance that no attempt of a delivery ever reaches the endpoint: it ends as failed. */
  drop: number;
  /** Chance that one attempt gets lost; the next may arrive. */
  flaky: number;
  /** Chance that the first attempt waits `delaySeconds`. The event keeps its time. */
  delay: number;
  delaySeconds: number;
  /** Chance that the first attempt waits up to `reorderSeconds`, so that later events overtake it. */
  reorder: number;
  reorderSeconds: number;
  /** Chance that an attempt is sent twice. */
  duplicate: number;
  /** Chance that bytes of an attempt's body change after signing. */
  corrupt: number;
  /** Chance that a delivery is noted as answered with 200 and never sent. */
  phantom: number;
  /** Chance that somebody without the secret sends an event beside the true one. */
  forge: number;
  /** A retry gets a new timestamp and signature. Otherwise it repeats the first attempt byte for byte. */
  restamp: boolean;
  /** The deliveries of one event to several endpoints are stamped so many seconds apart, the first of them with the event's time. */
  stampApartSeconds: number;
  /** Where the event id stands. */
  eventId: 'none' | 'envelope' | 'header';
  shape: PayloadShape;
  // Payins
  /** Chance that compliance rejects a payin. */
  kytRejected: number;
  /** Chance that compliance never comes to a result. */
  kytPending: number;
  // API
  /** Chance of 429. `retryAfter`: seconds in the Retry-After header, null for none, "http-date" for a date a second ahead. */
  rateLimit: number;
  retryAfter: number | 'http-date' | null;
  serverError: number;
  slow: number;
  slowMs: number;
  /** Chance of an HTML page in place of JSON, under status 200 or 502. */
  html: number;
  /** Chance that the connection is cut in the middle of the answer. */
  cut: number;
  /** Chance that rows are inserted and changed before a page that continues a list of payments or transactions is read. */
  churn: number;
  /** 401 to every token from here on. */
  revokeToken: boolean;
  // Lists
  /** A page that continues a list is the one before once more. */
  repeatPage: boolean;
  /** Pages hold half of what was asked for, though more follows. */
  shrinkPage: boolean;
  /** The first item of each page has no id. */
  itemWithoutId: boolean;
  /** A list that comes to its end begins again at its head. */
  endlessList: boolean;
  /** Chance that a record is missing from every list. Pages get shorter by it. */
  forgetRecords: number;
  /** The `irregular` filter of payments misses each that has, or had, a dispute. */
  hideFromIrregular: boolean;
  /** Code of the asset whose `available` is not its balance less what is frozen, as specification 2.8 says; empty: of none. */
  availableOff: string;
  /** New payouts of the dashboard are of a type that the specification does not name. */
  newPayoutWord: boolean;
  /** X-Total-Count: as it is, left out, or half of it. */
  totalCount: 'right' | 'missing' | 'wrong';
  // Time
  /** Times are shown as `2027-01-31T12:00:00.000`, in answers and events. */
  timesWithoutZone: boolean;
  /**
   * How far the service's clock is ahead, or behind where negative: its Date header and what it stamps from here on.
   * Nothing comes due by it.
   */
  clockSkewSeconds: number;
  // Contract
  /**
   * `key`: rows beyond the cursor row's place; unknown cursor 400. `orm`: rows from the cursor row's place on, the first
   * of them skipped, whichever it is; unknown cursor: an empty page. `list`: empty page unless the row is in the filtered list.
   */
  cursor: 'key' | 'orm' | 'list';
  /** Other names for query parameters, for example `{"paymentIntents": {"status": "state"}}`. */
  names: Partial<Record<NamedList, Record<string, string>>>;
  /** Other names for fields of what the lists show, for example `{"transactions": {"accountId": "walletId"}}`. */
  fields: Partial<Record<NamedList, Record<string, string>>>;
  /** Other names for the parts of a page, and for the header that counts. */
  pageNames: { items?: string; nextCursor?: string };
  countHeader: string;
  eventIdHeader: string;
  unknownParameters: 'ignore' | 'refuse';
  /** `irregular` also lists disputes whose received amount equals the expected one, which specification 3.1 does not say. */
  irregularHoldsDisputes: boolean;
  /** Whether there is a list of payouts at all; without it GET answers 404. */
  payoutsList: boolean;
  payoutsPath: string;
  /** The list of accounts is an array, or `{items, nextCursor}`. */
  accountsShape: 'array' | 'page';
  /** Whether the bounds of the consolidated feed are inside it. */
  feedBounds: 'inclusive' | 'exclusive';
  /** PATCH with `closed` hides the account from the list at once. */
  patchClosedArchives: boolean;
  /** Invoices show `merchantReference`, refunds `paymentIntentId`: fields that the specification does not name. */
  links: boolean;
  /**
   * Payments in lists show `metadata`, payins `accountId`, accounts `isArchived`, `createdAt` and `updatedAt`: fields that
   * section 2 of the specification does not name.
   */
  unnamedFields: boolean;
  /** `flat`: `{statusCode, code, message}`; `nested`: the same under `error`. */
  errorBody: 'flat' | 'nested';
  /** The webhook endpoint list is reserved for business accounts (specification 4.21). */
  businessAccount: boolean;
}

/** Lists whose query parameters the specification leaves without a name. */
const NAMED_LISTS = [
  'paymentIntents',
  'deliveries',
  'invoices',
  'accounts',
  'transactions',
  'accountTransactions',
  'settlementMethods',
  'payouts',
] as const;

export type NamedList = (typeof NAMED_LISTS)[number];

const NO_NAMES = Object.fromEntries(NAMED_LISTS.map((list) => [list, {}])) as Record<NamedList, Record<string, string>>;

export const NO_FAULTS: Faults = {
  swallow: 0,
  drop: 0,
  flaky: 0,
  delay: 0,
  delaySeconds: 30,
  reorder: 0,
  reorderSeconds: 3,
  duplicate: 0,
  corrupt: 0,
  phantom: 0,
  forge: 0,
  restamp: false,
  stampApartSeconds: 0,
  eventId: 'none',
  shape: 'full',
  kytRejected: 0,
  kytPending: 0,
  rateLimit: 0,
  retryAfter: 1,
  serverError: 0,
  slow: 0,
  slowMs: 1000,
  html: 0,
  cut: 0,
  churn: 0,
  revokeToken: false,
  repeatPage: false,
  shrinkPage: false,
  itemWithoutId: false,
  endlessList: false,
  forgetRecords: 0,
  hideFromIrregular: false,
  availableOff: '',
  newPayoutWord: false,
  totalCount: 'right',
  timesWithoutZone: false,
  clockSkewSeconds: 0,
  cursor: 'orm',
  names: NO_NAMES,
  fields: NO_NAMES,
  pageNames: {},
  countHeader: 'X-Total-Count',
  eventIdHeader: 'X-Service-Event-Id',
  unknownParameters: 'ignore',
  irregularHoldsDisputes: false,
  payoutsList: true,
  payoutsPath: '/v1/payouts',
  accountsShape: 'array',
  feedBounds: 'inclusive',
  patchClosedArchives: true,
  links: false,
  unnamedFields: true,
  errorBody: 'flat',
  businessAccount: true,
};

/** Nothing that the specification does not show; faults that are given besides go before. */
const STRICT_FAULTS: Faults = {
  ...NO_FAULTS,
  irregularHoldsDisputes: false,
  payoutsList: false,
  links: false,
  unnamedFields: false,
};

/** What holds where no fault is given. */
export const defaultFaults = ({ strict }: { strict: boolean }): Faults => (strict ? STRICT_FAULTS : NO_FAULTS);

const CHOICES: Partial<Record<keyof Faults, readonly unknown[]>> = {
  eventId: ['none', 'envelope', 'header'],
  shape: ['full', 'partial', 'wrapped', 'bare'],
  cursor: ['key', 'orm', 'list'],
  unknownParameters: ['ignore', 'refuse'],
  totalCount: ['right', 'missing', 'wrong'],
  accountsShape: ['array', 'page'],
  feedBounds: ['inclusive', 'exclusive'],
  errorBody: ['flat', 'nested'],
};

const MOST_SKEW = 10 * 366 * 86_400;

const UNBOUNDED = new Set<string>(['delaySeconds', 'reorderSeconds', 'slowMs']);

/** Every field that is not given goes back to its default. Answers what is wrong as a text. */
export function parseFaults(
  input: Record<string, unknown>,
  defaults: Faults,
): { ok: true; faults: Faults } | { ok: false; problem: string } {
  const faults: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(input)) {
    const fallback = Object.hasOwn(NO_FAULTS, name) ? faults[name] : undefined;
    if (fallback === undefined) return { ok: false, problem: `there is no fault named ${name}` };
    const isOfLists = name === 'names' || name === 'fields';
    const problem = isOfLists ? checkNames(value) : check(name, value, fallback);
    if (problem !== null) return { ok: false, problem: `${name}: ${problem}` };
    faults[name] = isOfLists ? { ...NO_NAMES, ...(value as Faults['names']) } : value;
  }
  return { ok: true, faults: faults as unknown as Faults };
}

function check(name: string, value: unknown, fallback: unknown): string | null {
  const choices = CHOICES[name as keyof Faults];
  if (choices) return choices.includes(value) ? null : `one of ${choices.join(', ')}`;
  if (name === 'retryAfter')
    return value === null || value === 'http-date' || isCount(value) ? null : 'seconds, null or "http-date"';
  if (name === 'payoutsPath')
    return typeof value === 'string' && /^(\/[\w.~-]+)+$/.test(value) ? null : 'a path such as /v1/payouts';
  if (name === 'countHeader' || name === 'eventIdHeader')
    return typeof value === 'string' && /^[\w-]+$/.test(value) ? null : 'the name of a header';
  if (name === 'pageNames') return checkPageNames(value);
  if (name === 'clockSkewSeconds') {
    return typeof value === 'number' && Math.abs(value) <= MOST_SKEW
      ? null
      : `seconds, at most ${MOST_SKEW} either way`;
  }
  if (typeof fallback === 'boolean') return typeof value === 'boolean' ? null : 'true or false';
  if (typeof fallback === 'string') return typeof value === 'string' ? null : 'a text';
  if (!isCount(value)) return 'a number that is not negative';
  return UNBOUNDED.has(name) || value <= 1 ? null : 'a chance between 0 and 1';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function checkPageNames(value: unknown): string | null {
  const isNames = typeof value === 'object' && value !== null;
  const isFine = isNames && Object.values(value).every((name) => typeof name === 'string' && name !== '');
  return isFine ? null : 'names for items and nextCursor';
}

function checkNames(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'an object';
  for (const [list, names] of Object.entries(value)) {
    if (!Object.hasOwn(NO_FAULTS.names, list)) return `there is no list named ${list}`;
    if (typeof names !== 'object' || names === null) return 'an object of names';
    if (Object.values(names).some((name) => typeof name !== 'string')) return 'names are strings';
  }
  return null;
}
