import type { Progress } from '../reconcile/deps.js';

const EVERY_MS = 100;

export interface ProgressLine {
  show(kind: string, at: Progress): void;
  /** Wipes the line, so that what is printed next begins on an empty one. */
  clear(): void;
}

interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** One line on a terminal's stderr that tells how far a run is; nothing at all where there is no terminal. */
export function createProgressLine(terminal: Terminal, now: () => number): ProgressLine {
  let shownAt = Number.NEGATIVE_INFINITY;
  let visible = false;
  if (terminal.isTTY !== true) return { show: () => {}, clear: () => {} };
  return {
    show: (kind, at) => {
      if (now() - shownAt < EVERY_MS) return;
      shownAt = now();
      visible = true;
      terminal.write(`\r\u001b[K${progressText(kind, at)}`);
    },
    clear: () => {
      if (visible) terminal.write('\r\u001b[K');
      visible = false;
    },
  };
}

/** A share is told only where it is known how much there is. */
export function progressText(kind: string, { seen, calls, oldest, total }: Progress): string {
  const share = total === null || total <= 0 ? '' : `, ${Math.min(100, Math.floor((seen / total) * 100))}% of ${total}`;
  const back = oldest === null ? '' : `, back to ${new Date(oldest).toISOString().slice(0, 10)}`;
  return `${kind}: ${seen} read, ${calls} calls${back}${share}`;
}
