import type { Watermark } from '../../records/runs/watermarks.js';
import type { Place } from './list-row.js';
import type { ScanPage } from './scan-list.js';

/**
 * What was made just now may still be on its way into the list, or into another copy of it that answers the next call:
 * younger than this, its lack proves nothing.
 */
export const SETTLE_MS = 30_000;

/** More than our clock and the service's will differ. */
export const CLOCKS_APART_MS = 10 * 60_000;

/**
 * Whether what was last done at `watermark.at` is to be done again. A moment that is yet to come was given by a clock that was
 * wrong: it puts nothing off. Times in ms of our clock.
 */
export function isDue(watermark: Watermark | undefined, everyMs: number, now: number): boolean {
  const age = now - Number(watermark?.['at'] ?? 0);
  return age >= everyMs || age < -CLOCKS_APART_MS;
}

/** An event may report the time of creation less exactly than the list shows it, to the second for example. */
const REPORTED_WITHIN_MS = 2_000;

/** An interval of time in which a page shows every record that the whole list holds; ms. */
export interface Span {
  /** Neither moment is part of it. Infinite where the page reaches the head or the end of the list. */
  after: number;
  before: number;
  /** Younger ones need not be in it. */
  settled: number;
}

/**
 * Null where the page proves that of no moment. The moments of its first and last row are left out: others of the same
 * millisecond may stand beyond it.
 */
export function spanOf(page: ScanPage): Span | null {
  const span = { after: lowerEnd(page), before: upperEnd(page), settled: page.from - SETTLE_MS };
  return page.contiguous && span.after < span.before ? span : null;
}

/** Of pages that follow one another: where two spans overlap they are one. */
export function spansOf(pages: readonly ScanPage[]): Span[] {
  const spans: Span[] = [];
  for (const page of pages) {
    const span = spanOf(page);
    const last = spans.at(-1);
    if (span === null) continue;
    if (last === undefined || last.after >= span.before || span.before > last.before) spans.push(span);
    else {
      const settled = Math.min(last.settled, span.settled);
      spans.splice(-1, 1, { after: Math.min(last.after, span.after), before: last.before, settled });
    }
  }
  return spans;
}

/** Everything older than this that the list holds above the page's end is on the page; -Infinity: it has no such row. */
export function upperEnd(page: ScanPage): number {
  return page.above === null ? Number.POSITIVE_INFINITY : (page.above.createdAt ?? Number.NEGATIVE_INFINITY);
}

/** Everything newer than this that the list holds below the page's begin is on the page. */
export function lowerEnd(page: ScanPage): number {
  if (page.atEnd) return Number.NEGATIVE_INFINITY;
  return page.chain.at(-1)?.createdAt ?? Number.POSITIVE_INFINITY;
}

/** The page would show the record if the service listed it. */
export function covers(span: Span, place: Place): boolean {
  if (place.createdAt === null) return false;
  const within = inexactnessOf(place);
  if (place.createdAt - within <= span.after || place.createdAt + within >= span.before) return false;
  return place.createdAt + within < span.settled;
}

/** By so many ms the list may show the record older or newer than its `createdAt` says. */
export const inexactnessOf = ({ listed }: Place): number => (listed === true ? 0 : REPORTED_WITHIN_MS);

/** The parts of a span that cover records that the list has shown, and those that it has not. */
export function spansByPlace({
  after,
  before,
  settled,
}: Span): Record<'listed' | 'unlisted', Pick<Span, 'after' | 'before'>> {
  const until = Math.min(before, settled);
  return {
    listed: { after, before: until },
    unlisted: { after: after + REPORTED_WITHIN_MS, before: until - REPORTED_WITHIN_MS },
  };
}
