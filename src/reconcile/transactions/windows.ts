import type { Window } from './feed.js';

/** Windows overlap by this, so that no row is lost on a bound that the service leaves out. */
export const OVERLAP_MS = 60_000;
/** Rows nearer to a bound than this may or may not be in a window: times may be shown to the second only. */
export const EDGE_MS = 1_000;
const LEAST_MS = 4_000;

/** What of the range lies in none of the windows, each piece longer by the overlap at either end, newest first. */
export function uncovered(range: Window, windows: readonly Window[]): Window[] {
  let open: Window[] = [range];
  for (const window of windows) {
    open = open.flatMap((piece) => {
      if (window.to <= piece.from || window.from >= piece.to) return [piece];
      const parts: Window[] = [];
      if (window.from > piece.from) parts.push({ from: piece.from, to: window.from });
      if (window.to < piece.to) parts.push({ from: window.to, to: piece.to });
      return parts;
    });
  }
  return open
    .map(({ from, to }) => ({
      from: from === range.from ? from : Math.max(range.from, from - OVERLAP_MS),
      to: to === range.to ? to : Math.min(range.to, to + OVERLAP_MS),
    }))
    .toSorted((a, b) => b.to - a.to);
}

/** The window together with those that overlap it: what is proven of them is proven of the whole. */
export function merged(window: Window, windows: readonly Window[]): { whole: Window; absorbed: Window[] } {
  let whole = window;
  const absorbed: Window[] = [];
  for (const other of windows.toSorted((a, b) => a.from - b.from)) {
    if (!overlaps(whole, other)) continue;
    absorbed.push(other);
    whole = { from: Math.min(whole.from, other.from), to: Math.max(whole.to, other.to) };
  }
  return { whole, absorbed };
}

/** The two parts of a window, overlapping, the newer one first; null: it is too short. `at`: where to part it. */
export function halves({ from, to }: Window, at: number | null): [Window, Window] | null {
  const width = to - from;
  if (width < LEAST_MS) return null;
  const overlap = Math.min(OVERLAP_MS, Math.floor(width / 8));
  const least = from + 2 * overlap;
  const most = to - 2 * overlap;
  const middle = Math.floor(at === null ? from + width / 2 : Math.min(Math.max(at, least), most));
  return [
    { from: middle - overlap, to },
    { from, to: middle + overlap },
  ];
}

/** The part of a window whose rows are in it for certain. */
export function inner({ from, to }: Window): Window {
  return { from: from + EDGE_MS, to: to - EDGE_MS };
}

/** By more than the bounds: a row that stands on the bound of both is in neither. */
function overlaps(a: Window, b: Window): boolean {
  return Math.min(a.to, b.to) - Math.max(a.from, b.from) >= 2 * EDGE_MS;
}
