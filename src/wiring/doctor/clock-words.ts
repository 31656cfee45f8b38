import type { ClockBounds } from '../../service-api/service-clock.js';

/** Where the service's clock stands, as `22 days 7 h behind ours`; `low` and `high` are in ms, positive where it is ahead. */
export function clockWords({ low, high }: ClockBounds): string {
  const [least, most] = [Math.round(low), Math.round(high)];
  if (least > 0) return `${between(least, most)} ahead of ours`;
  if (most < 0) return `${between(-most, -least)} behind ours`;
  const sides = [
    ...(least < 0 ? [`${spanWords(-least)} behind`] : []),
    ...(most > 0 ? [`${spanWords(most)} ahead`] : []),
  ];
  if (sides.length === 0) return 'level with ours';
  return `at most ${sides.join(' and ')}${most > 0 ? ' of' : ''} ours`;
}

function between(least: number, most: number): string {
  const [from, to] = [spanWords(least), spanWords(most)];
  return from === to ? from : `${from} to ${to}`;
}

/** In the two greatest units that there are of it. */
function spanWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 60) return `${tenths} s`;
  const seconds = Math.round(ms / 1_000);
  const units: [string, number][] = [
    [seconds < 172_800 ? ' day' : ' days', Math.floor(seconds / 86_400)],
    [' h', Math.floor(seconds / 3_600) % 24],
    [' min', Math.floor(seconds / 60) % 60],
    [' s', seconds % 60],
  ];
  const first = units.findIndex(([, count]) => count > 0);
  const told = units.slice(first, first + 2).filter(([, count]) => count > 0);
  return told.map(([unit, count]) => `${count}${unit}`).join(' ');
}
