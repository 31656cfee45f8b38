import { grouped } from '../grouped.js';

/** What became of an event of the service; each has one, the worst that fits. `not_sent` is none of the service's. */
export const eventClasses = [
  'received',
  'doubled',
  'out_of_order',
  'late',
  'under_way',
  'rejected',
  'missed',
  'never_generated',
  'not_sent',
] as const;
export type EventClass = (typeof eventClasses)[number];

/** An event, or what is known of one that did not come. Times in ms. */
export interface EventFacts {
  /** The same for one event, whoever speaks of it and however often. */
  key: string;
  eventType: string;
  /** When the service made it; null: that is not known. */
  madeAt: number | null;
  /** When it came as a webhook first; null: it did not. */
  receivedAt: number | null;
  /** It came more than once under one secret. */
  isRepeated: boolean;
  /** The service did not send it. */
  isForged: boolean;
  /** Of one that did not come. */
  why: Extract<EventClass, 'under_way' | 'rejected' | 'missed' | 'never_generated'>;
}

export interface TallyRules {
  /** MISSED_GRACE_SECONDS: what takes longer is late. */
  graceMs: number;
  /** When the newest of those was made that came before all of these; null: none did. */
  newestBefore: number | null;
}

export interface TypeTally {
  classes: Partial<Record<EventClass, number>>;
  /** How many came so fast, by the number of the bucket (`bucketOf`). */
  delays: Record<string, number>;
}

/** By type of event. */
export type Tally = Record<string, TypeTally>;

/** What was made so much later, and came before, overtook it: times of events are whole seconds, and several are sent at once. */
const ORDER_MS = 5_000;
/** More types than the specification could have are counted as one. */
const MOST_TYPES = 100;
export const OTHER_TYPES = 'other types';

/** Each event once, whatever the order in which they are given. */
export function tallyEvents(events: Iterable<EventFacts>, rules: TallyRules): Tally {
  const tally: Tally = {};
  let newest = rules.newestBefore ?? Number.NEGATIVE_INFINITY;
  const [came, others] = eachOnce(events);
  for (const together of came) {
    for (const event of together) add(tally, event, classOf(event, { ...rules, newestBefore: newest }));
    for (const { madeAt, isForged } of together) if (!isForged && madeAt !== null) newest = Math.max(newest, madeAt);
  }
  for (const event of others) add(tally, event, event.why);
  return tally;
}

/** Those that came, by the moment, and those that did not. */
function eachOnce(events: Iterable<EventFacts>): [EventFacts[][], EventFacts[]] {
  const byKey = new Map<string, EventFacts>();
  for (const event of events) {
    const known = byKey.get(event.key);
    byKey.set(event.key, known === undefined ? event : ofBoth(known, event));
  }
  const all = [...byKey.values()];
  const moments = grouped(
    all.filter(({ receivedAt }) => receivedAt !== null),
    ({ receivedAt }) => receivedAt ?? 0,
  );
  const came = [...moments].toSorted(([a], [b]) => a - b).map(([, together]) => together);
  return [came, all.filter(({ receivedAt }) => receivedAt === null)];
}

/** What is worst of an event that did not come counts. */
function ofBoth(one: EventFacts, other: EventFacts): EventFacts {
  const worst = eventClasses.indexOf(one.why) > eventClasses.indexOf(other.why) ? one.why : other.why;
  return {
    key: one.key,
    eventType: one.eventType < other.eventType ? one.eventType : other.eventType,
    madeAt: least(one.madeAt, other.madeAt),
    receivedAt: least(one.receivedAt, other.receivedAt),
    isRepeated: one.isRepeated || other.isRepeated,
    isForged: one.isForged && other.isForged,
    why: worst,
  };
}

function least(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function classOf({ madeAt, receivedAt, isRepeated, isForged }: EventFacts, rules: TallyRules): EventClass {
  if (isForged) return 'not_sent';
  if (madeAt !== null && receivedAt !== null && receivedAt - madeAt > Math.max(0, rules.graceMs)) return 'late';
  if (madeAt !== null && rules.newestBefore !== null && rules.newestBefore > madeAt + ORDER_MS) return 'out_of_order';
  return isRepeated ? 'doubled' : 'received';
}

function add(tally: Tally, { eventType, madeAt, receivedAt, isForged }: EventFacts, what: EventClass): void {
  const known = Object.hasOwn(tally, eventType) || Object.keys(tally).length < MOST_TYPES;
  const own = typeIn(tally, known ? eventType : OTHER_TYPES);
  own.classes[what] = (own.classes[what] ?? 0) + 1;
  if (madeAt === null || receivedAt === null || isForged) return;
  const bucket = bucketOf(receivedAt - madeAt);
  own.delays[bucket] = (own.delays[bucket] ?? 0) + 1;
}

function typeIn(tally: Tally, type: string): TypeTally {
  const known = Object.hasOwn(tally, type) ? tally[type] : undefined;
  const own = known ?? { classes: {}, delays: {} };
  if (known === undefined) Object.defineProperty(tally, type, { value: own, enumerable: true, configurable: true });
  return own;
}

export function addTallies(tallies: Iterable<Tally>): Tally {
  const sum: Tally = {};
  for (const tally of tallies) {
    for (const [type, { classes, delays }] of Object.entries(tally)) {
      const own = typeIn(sum, type);
      for (const what of eventClasses) {
        const n = (own.classes[what] ?? 0) + (classes[what] ?? 0);
        if (n > 0) own.classes[what] = n;
      }
      for (const [bucket, n] of Object.entries(delays)) own.delays[bucket] = (own.delays[bucket] ?? 0) + n;
    }
  }
  return sum;
}

/** Each bucket ends a tenth after the one before: a percentile is right to within that. */
const STEP = 1.1;

const bucketOf = (delayMs: number): number => (delayMs <= 1 ? 0 : Math.ceil(Math.log(delayMs) / Math.log(STEP)));

/** So many of a hundred came within that many ms; null: none came. */
export function percentile(delays: Readonly<Record<string, number>>, percent: number): number | null {
  const buckets = Object.entries(delays)
    .map(([bucket, n]) => ({ bucket: Number(bucket), n }))
    .toSorted((a, b) => a.bucket - b.bucket);
  const wanted = (buckets.reduce((sum, { n }) => sum + n, 0) * percent) / 100;
  let passed = 0;
  for (const { bucket, n } of buckets) {
    passed += n;
    if (passed >= wanted) return Math.ceil(STEP ** bucket);
  }
  return null;
}
