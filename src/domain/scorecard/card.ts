import { counted } from '../in-words.js';
import { compareText } from '../record-state.js';
import { knownCount } from './lines.js';
import { availabilityOf, type CallOutcome, callOutcomes, type Scorecard } from './scorecard-shape.js';
import { addTallies, type EventClass, eventClasses, percentile, type Tally, type TypeTally } from './tally-events.js';

/** A day, or what of it is over. */
export interface CountedDay {
  tally: Tally;
  /** Rejected requests, by reason. */
  rejected: Record<string, number>;
  /** Attempts of calls, by operation. */
  calls: Record<string, Partial<Record<CallOutcome, number>>>;
  /** The delivery history was read completely over it and the grace after it. */
  withHistory: boolean;
}

export interface StoredDay {
  day: string;
  countedAt: Date;
  counts: CountedDay;
}

export interface CardAbout {
  month: string;
  timeZone: string;
  from: number;
  to: number;
  /** Days of it that have begun. */
  begun: number;
  /** From when on Tallyhook answers for records. */
  adoptedAt: number;
}

export function scorecardOf(days: readonly StoredDay[], about: CardAbout): Scorecard {
  const counts = days.map((one) => one.counts);
  const tally = addTallies(counts.map((one) => one.tally));
  const byType = Object.entries(tally).map(([eventType, own]) => ({ eventType, ...rowOf(own) }));
  const calls = sumCalls(counts.map((one) => one.calls));
  const { month, timeZone, from, to, begun: of } = about;
  const withHistory = counts.filter((one) => one.withHistory).length;
  const at = days.map(({ countedAt }) => countedAt.getTime());
  const known = { counted: days.length, of, withHistory };
  return {
    month,
    timeZone,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    days: known,
    countedAt: at.length === 0 ? null : new Date(Math.max(...at)).toISOString(),
    events: eventsOf(Object.values(tally)),
    notKnown: (['expected', ...eventClasses] as const).filter((what) => knownCount({ days: known }, what, 0) === null),
    byType: byType.toSorted((a, b) => b.expected - a.expected || compareText(a.eventType, b.eventType)),
    rejectedRequests: sumRejected(counts.map((one) => one.rejected)),
    api: calls,
    notes: notesOf(about, { days: days.length, withHistory, calls: calls.byOperation.length }),
  };
}

function eventsOf(types: readonly TypeTally[]): Scorecard['events'] {
  const sums = eventClasses.map((what) => [what, types.reduce((sum, { classes }) => sum + (classes[what] ?? 0), 0)]);
  const classes = Object.fromEntries(sums) as Record<EventClass, number>;
  const all = Object.values(classes).reduce((sum, n) => sum + n, 0);
  return { ...classes, expected: all - classes.not_sent };
}

function rowOf(own: TypeTally): Omit<Scorecard['byType'][number], 'eventType'> {
  return { ...eventsOf([own]), p50Ms: percentile(own.delays, 50), p99Ms: percentile(own.delays, 99) };
}

function sumRejected(days: readonly Record<string, number>[]): Scorecard['rejectedRequests'] {
  const sums = new Map<string, number>();
  for (const [reason, n] of days.flatMap(Object.entries)) sums.set(reason, (sums.get(reason) ?? 0) + n);
  return [...sums]
    .map(([reason, requests]) => ({ reason, requests }))
    .toSorted((a, b) => compareText(a.reason, b.reason));
}

function sumCalls(days: readonly CountedDay['calls'][]): Scorecard['api'] {
  const names = [...new Set(days.flatMap(Object.keys))].toSorted(compareText);
  const sumOf = (parts: readonly Partial<Record<CallOutcome, number>>[]) => {
    const sums = callOutcomes.map((outcome) => [outcome, parts.reduce((sum, part) => sum + (part[outcome] ?? 0), 0)]);
    const counts = Object.fromEntries(sums) as Record<CallOutcome, number>;
    return { ...counts, availability: availabilityOf(counts) };
  };
  const byOperation = names.map((operation) => ({ operation, ...sumOf(days.map((day) => day[operation] ?? {})) }));
  return { ...sumOf(byOperation), byOperation };
}

function notesOf(
  { begun, adoptedAt, from }: CardAbout,
  { days, withHistory, calls }: { days: number; withHistory: number; calls: number },
): string[] {
  const uncounted = begun - days;
  const unread = days - withHistory;
  return [
    ...(begun === 0 ? ['The month has not begun.'] : []),
    ...(adoptedAt > from ? [`What was before ${new Date(adoptedAt).toISOString()} (adoption) is not counted.`] : []),
    ...(uncounted > 0
      ? [
          `${counted(uncounted, 'day')} of ${begun} not counted: the scheduler has not come to them, or their events were deleted.`,
        ]
      : []),
    ...(unread > 0
      ? [
          `The delivery history was not read completely for ${counted(unread, 'day')}: what was missed, rejected or never generated then is not known whole.`,
        ]
      : []),
    ...(calls === 0 && days > 0 ? ['No call to the service was counted.'] : []),
  ];
}
