import type { Watermark } from '../../records/runs/watermarks.js';
import { CLOCKS_APART_MS } from './span.js';

/**
 * Whether what was last done at `watermark.at` is to be done again. A moment that is yet to come was given by a clock that was
 * wrong: it puts nothing off. Times in ms of our clock.
 */
export function isDue(watermark: Watermark | undefined, everyMs: number, now: number): boolean {
  const age = now - Number(watermark?.['at'] ?? 0);
  return age >= everyMs || age < -CLOCKS_APART_MS;
}
