import { words } from '../in-words.js';
import { callOutcomes, type Scorecard } from './scorecard-shape.js';
import { type EventClass, eventClasses } from './tally-events.js';

/** One figure of a scorecard: what it is of, its name, its value, and where it is from. */
export interface Line {
  of: string;
  figure: string;
  value: string;
  source: string;
}

const HISTORY = 'the service’s delivery history';
const sources: Readonly<Record<string, string>> = {
  under_way: HISTORY,
  rejected: HISTORY,
  missed: HISTORY,
  never_generated: 'breaks: the service’s lists, against its delivery history',
  not_sent: 'webhooks, against the delivery history',
};
/** Null: not counted; or none was found, and none of the history that would show one was read. */
export function knownCount({ days }: Pick<Scorecard, 'days'>, what: EventClass | 'expected', n: number): number | null {
  const isOfHistory = what === 'expected' || sources[what] !== undefined;
  return days.counted === 0 || (isOfHistory && n === 0 && days.withHistory === 0) ? null : n;
}

/** Else more events may have been expected, or lacking, than are counted. */
export const isWhole = ({ days }: Pick<Scorecard, 'days'>): boolean =>
  days.counted > 0 && days.withHistory === days.counted;

const RECEIVED = 'webhooks received';
export const sourceOf = (what: EventClass): string => sources[what] ?? RECEIVED;
export const DELAY = 'from when the service made it (its delivery, or else the event’s own time) until it was received';
export const CALLS = 'attempts of calls, counted by the programs that made them';

/** Every figure once, as it is handed on. */
export function scorecardLines({
  month,
  timeZone,
  events,
  byType,
  rejectedRequests,
  api,
  days,
  countedAt,
  notes,
}: Scorecard): Line[] {
  const valueOf = (what: EventClass | 'expected', n: number) => String(knownCount({ days }, what, n) ?? '');
  const counts = (of: string, row: Scorecard['events']): Line[] => [
    {
      of,
      figure: 'expected',
      value: valueOf('expected', row.expected),
      source: 'the sum of what follows, without what was not sent',
    },
    ...eventClasses.map((what) => ({
      of,
      figure: words(what),
      value: valueOf(what, row[what]),
      source: sourceOf(what),
    })),
  ];
  const calls = (of: string, row: Omit<Scorecard['api'], 'byOperation'>): Line[] => [
    ...callOutcomes.map((one) => ({ of, figure: words(one), value: String(row[one]), source: CALLS })),
    { of, figure: 'availability %', value: row.availability ?? '', source: 'answered, refused and limited, of all' },
  ];
  return [
    { of: 'month', figure: month, value: timeZone, source: 'BOOKS_TIMEZONE' },
    { of: 'days', figure: 'counted', value: `${days.counted} of ${days.of}`, source: 'stored events' },
    {
      of: 'days',
      figure: 'counted at',
      value: countedAt ?? '',
      source: 'this installation; what came since is not counted',
    },
    { of: 'days', figure: 'with history', value: `${days.withHistory} of ${days.counted}`, source: HISTORY },
    ...counts('all events', events),
    ...byType.flatMap(({ eventType, p50Ms, p99Ms, ...row }) => [
      ...counts(eventType, row),
      { of: eventType, figure: 'p50 delay ms', value: p50Ms === null ? '' : String(p50Ms), source: DELAY },
      { of: eventType, figure: 'p99 delay ms', value: p99Ms === null ? '' : String(p99Ms), source: DELAY },
    ]),
    ...rejectedRequests.map(({ reason, requests }) => ({
      of: 'rejected requests',
      figure: reason,
      value: String(requests),
      source: 'the receiver, whoever sent them',
    })),
    ...calls('API', api),
    ...api.byOperation.flatMap(({ operation, ...row }) => calls(operation, row)),
    ...notes.map((note) => ({ of: 'not known', figure: '', value: note, source: '' })),
  ];
}
