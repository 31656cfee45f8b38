import { setFlagsFromString } from 'node:v8';

/**
 * For a process that reads lists for hours: the heap is collected sooner, in place of growing with every page that has
 * come and gone. Costs a few percent of its time, and keeps it well under 200 MB. Call it early, and not where requests
 * are answered.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30');
  setFlagsFromString('--semi-space-growth-factor=1');
}
