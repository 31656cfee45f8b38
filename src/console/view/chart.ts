import type { MinuteCount } from '../../records/inbox/minute-counts.js';
import type { ChartSection, Spark } from './sections.js';
import { counted, type Tone } from './values.js';

const WIDTH = 600;
const HEIGHT = 100;
const GAP = 2;

/** One bar per minute: what came in, by what became of it, and what was rejected. */
export function minutesChart(minutes: readonly MinuteCount[]): ChartSection {
  const partsOf = ({ applied, waiting, notApplied, rejected }: MinuteCount): [Tone, number][] => [
    ['info', applied],
    ['warn', waiting],
    ['quiet', notApplied],
    ['bad', rejected],
  ];
  const sum = (minute: MinuteCount) => partsOf(minute).reduce((total, [, n]) => total + n, 0);
  const highest = Math.max(...minutes.map(sum), 1);
  const step = WIDTH / minutes.length;
  const total = (name: Exclude<keyof MinuteCount, 'minute'>) => minutes.reduce((all, minute) => all + minute[name], 0);
  const [applied, waiting, rejected] = [total('applied'), total('waiting'), total('rejected')];
  const received = applied + waiting + total('notApplied');
  return {
    is: 'chart',
    title: 'Received in the last hour, per minute',
    summary: `In the last hour ${received} events were received, ${applied} of them applied, ${waiting} wait; ${rejected} requests were rejected.`,
    width: WIDTH,
    height: HEIGHT,
    bars: minutes.map((minute, index) => {
      let top = HEIGHT;
      const parts = partsOf(minute).flatMap(([tone, n]) => {
        const height = round((n / highest) * HEIGHT);
        top = round(top - height);
        return n === 0 ? [] : [{ tone, y: top, height }];
      });
      return { x: round(index * step), width: round(step - GAP), label: labelOf(minute), parts };
    }),
    legend: [
      { tone: 'info', text: `${applied} applied` },
      { tone: 'warn', text: `${waiting} waiting` },
      { tone: 'quiet', text: `${total('notApplied')} not for us, or given up` },
      { tone: 'bad', text: `${rejected} rejected` },
    ],
    axis: { first: clock(minutes[0]?.minute), last: clock(minutes.at(-1)?.minute), highest: `${highest} / min` },
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

function clock(at: Date | undefined): string {
  return at === undefined ? '' : `${at.toISOString().slice(11, 16)} UTC`;
}

function round(n: number): number {
  return Math.round(n * 100) / 100;
}
