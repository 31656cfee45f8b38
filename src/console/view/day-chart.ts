import type { ChartSection } from './sections.js';
import { counted } from './values.js';

const WIDTH = 600;
const HEIGHT = 100;
const GAP = 4;

/** One bar a day, the oldest first. */
export function dayChart(
  title: string,
  days: readonly { day: Date; count: number }[],
  [one, many]: readonly [string, string],
): ChartSection {
  const highest = Math.max(...days.map(({ count }) => count), 1);
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const step = WIDTH / Math.max(days.length, 1);
  const named = (day: Date | undefined) => day?.toISOString().slice(0, 10) ?? '';
  return {
    is: 'chart',
    title,
    told: `${counted(total, one, many)} in ${days.length} days; at most ${highest} on one day.`,
    width: WIDTH,
    height: HEIGHT,
    bars: days.map(({ day, count }, index) => {
      const height = Math.round((count / highest) * HEIGHT * 100) / 100;
      const parts = count === 0 ? [] : [{ y: HEIGHT - height, height, tone: 'info' as const }];
      const label = `${named(day)}: ${counted(count, one, many)}`;
      return { x: Math.round(index * step * 100) / 100, width: Math.round((step - GAP) * 100) / 100, label, parts };
    }),
    legend: [{ tone: 'info', text: counted(total, one, many) }],
    axis: { first: named(days[0]?.day), last: named(days.at(-1)?.day), highest: `${highest} / day` },
  };
}
