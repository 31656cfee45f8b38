import { capitalized, counted } from '../../domain/in-words.js';
import type { HourMoney, PaidFor } from '../../records/books/day-money.js';
import type { MinuteCount } from '../../records/inbox/minute-counts.js';
import { type ChartSection, type Column, table } from './sections.js';
import { amount, count, type Spark, stack, type Tone, text } from './values.js';

const WIDTH = 600;
const HEIGHT = 100;

interface Bar {
  label: string;
  /** From the bottom up. */
  parts: readonly (readonly [tone: Tone, n: number])[];
}

/** Bars beside each other, with a gap between two; the highest is as high as the drawing. */
function barsOf(
  bars: readonly Bar[],
  gap: number,
): { highest: number } & Pick<ChartSection, 'width' | 'height' | 'bars'> {
  const sums = bars.map(({ parts }) => parts.reduce((total, [, n]) => total + n, 0));
  const highest = Math.max(...sums, 1);
  const step = WIDTH / Math.max(bars.length, 1);
  const drawn = bars.map(({ label, parts }, index) => {
    let top = HEIGHT;
    const pieces = parts.flatMap(([tone, n]) => {
      const height = round((n / highest) * HEIGHT);
      top = round(top - height);
      return n === 0 ? [] : [{ tone, y: top, height }];
    });
    return { x: round(index * step), width: round(step - gap), label, parts: pieces };
  });
  return { highest, width: WIDTH, height: HEIGHT, bars: drawn };
}

/** One bar per minute: what came in, by what became of it, and what was rejected. */
export function minutesChart(minutes: readonly MinuteCount[]): ChartSection {
  const bars = minutes.map((minute): Bar => {
    const { applied, waiting, notApplied, rejected } = minute;
    const parts = [
      ['info', applied],
      ['warn', waiting],
      ['quiet', notApplied],
      ['bad', rejected],
    ] as const;
    return { label: labelOf(minute), parts };
  });
  const { highest, ...drawing } = barsOf(bars, 2);
  const total = (name: Exclude<keyof MinuteCount, 'minute'>) => minutes.reduce((all, minute) => all + minute[name], 0);
  const [applied, waiting, rejected] = [total('applied'), total('waiting'), total('rejected')];
  const received = applied + waiting + total('notApplied');
  return {
    is: 'chart',
    title: 'Received in the last hour, per minute',
    summary: `In the last hour ${counted(received, 'event was', 'events were')} received, ${applied} applied, ${counted(waiting, 'waits', 'wait')}; ${counted(rejected, 'request was', 'requests were')} rejected.`,
    ...drawing,
    legend: [
      { tone: 'info', text: `${applied} applied` },
      { tone: 'warn', text: `${waiting} waiting` },
      { tone: 'quiet', text: `${total('notApplied')} not for us, or given up` },
      { tone: 'bad', text: `${rejected} rejected` },
    ],
    axis: { first: clock(minutes[0]?.minute), last: clock(minutes.at(-1)?.minute), highest: `${highest} / min` },
  };
}

const HOURS = 24;

/** One bar for each hour of today: how many payments brought money, by what may be done with their goods. */
export function hoursChart(hours: readonly HourMoney[]): ChartSection {
  const parts = [
    ['info', 'released', 'released'],
    ['warn', 'waiting', 'waiting for release'],
    ['quiet', 'other', 'of no order, or given back'],
  ] as const;
  const of = (hour: HourMoney | undefined, state: PaidFor) => hour?.payments[state] ?? 0;
  const total = (state: PaidFor) => hours.reduce((sum, hour) => sum + of(hour, state), 0);
  const named = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
  const wordsOf = (n: (state: PaidFor) => number) => parts.map(([, state, words]) => `${n(state)} ${words}`).join(', ');
  const bars = Array.from({ length: HOURS }, (_, hour): Bar => {
    const own = hours.find((one) => one.hour === hour);
    const label = `${named(hour)} UTC: ${wordsOf((state) => of(own, state))}`;
    return { label, parts: parts.map(([tone, state]) => [tone, of(own, state)]) };
  });
  const { highest, ...drawing } = barsOf(bars, 4);
  return {
    is: 'chart',
    title: 'Payments that brought money today, by the hour',
    summary: `Today, payments that brought money: ${wordsOf(total)}.`,
    ...drawing,
    legend: parts.map(([tone, state, words]) => ({ tone, text: `${total(state)} ${words}` })),
    axis: { first: named(0), last: `${named(HOURS)} UTC`, highest: `${highest} / h` },
    table: table(hours, {
      caption: 'Payments of today, by the hour',
      columns: [
        ['Hour, UTC', ({ hour }) => text(named(hour))],
        ...parts.map(
          ([, state, words]): Column<HourMoney> => [capitalized(words), (hour) => count(of(hour, state)), 'end'],
        ),
        ['Received', ({ received }) => stack(received.map(({ amount: n, currency }) => amount(n, currency))), 'end'],
      ],
    }),
  };
}

/** What matched under a secret: one bar a day, the oldest first. */
export function matchesChart(secret: string, days: readonly { day: Date; count: number }[]): ChartSection {
  const matches = (n: number) => counted(n, 'match', 'matches');
  const named = (day: Date | undefined) => day?.toISOString().slice(0, 10) ?? '';
  const bars = days.map(({ day, count }): Bar => {
    return { label: `${named(day)}: ${matches(count)}`, parts: [['info', count]] };
  });
  const { highest, ...drawing } = barsOf(bars, 4);
  const total = matches(days.reduce((sum, { count }) => sum + count, 0));
  return {
    is: 'chart',
    title: `Matches of “${secret}”, per day`,
    summary: `${total} in ${counted(days.length, 'day')}; at most ${highest} on one day.`,
    ...drawing,
    legend: [{ tone: 'info', text: total }],
    axis: { first: named(days[0]?.day), last: named(days.at(-1)?.day), highest: `${highest} / day` },
  };
}

/** A line over as many points as there are values, from zero to the highest. */
export function spark(values: readonly number[], summary: string): Spark {
  const [width, height] = [120, 30];
  const highest = Math.max(...values, 1);
  const last = Math.max(values.length - 1, 1);
  const points = values.map(
    (value, index) => `${round((index / last) * width)},${round(height - 1 - (value / highest) * (height - 2))}`,
  );
  const line = points.join(' ');
  return { width, height, line, area: `0,${height} ${line} ${width},${height}`, summary };
}

function labelOf({ minute, applied, waiting, notApplied, rejected }: MinuteCount): string {
  const parts = [`${counted(applied + waiting + notApplied, 'event')} received`, `${applied} applied`];
  if (waiting > 0) parts.push(`${waiting} waiting`);
  if (rejected > 0) parts.push(`${rejected} rejected`);
  return `${clock(minute)}: ${parts.join(', ')}`;
}

const clock = (at: Date | undefined): string => (at === undefined ? '' : `${at.toISOString().slice(11, 16)} UTC`);

const round = (n: number): number => Math.round(n * 100) / 100;
