import type { Logger } from '../log.js';

export interface Closers {
  /** What to do at the end; the last added is done first. */
  add(name: string, close: () => Promise<unknown>): void;
  /** Does all, whatever fails; a second call waits for the first. */
  close(): Promise<void>;
}

/** Collects how to undo what was started, so that a start that fails half way leaves nothing behind. */
export function createClosers(log: Logger): Closers {
  const open: { name: string; close: () => Promise<unknown> }[] = [];
  let closing: Promise<void> | null = null;
  const closeAll = async () => {
    for (let last = open.pop(); last; last = open.pop()) {
      const { name, close } = last;
      await close().catch((error: unknown) => log.error({ part: name, err: error }, 'close failed'));
    }
  };
  return { add: (name, close) => void open.push({ name, close }), close: () => (closing ??= closeAll()) };
}
