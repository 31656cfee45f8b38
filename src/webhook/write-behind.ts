export interface WriteBehind {
  /** There is something to write. Never waits. */
  touch(): void;
  /** Writes once more, after what is under way. */
  close(): Promise<void>;
}

const PERIOD_MS = 1_000;

/**
 * Calls `write` at once after a pause, and once a second for as long as there is more. `write` never throws: it returns
 * false when it has to be called again.
 */
export function createWriteBehind(write: () => Promise<boolean>): WriteBehind {
  let pause: NodeJS.Timeout | null = null;
  let touched = false;
  let writing = Promise.resolve();

  async function writeNow(): Promise<void> {
    touched = false;
    if (!(await write())) touch();
  }

  function touch(): void {
    touched = true;
    if (pause !== null) return;
    pause = setTimeout(() => {
      pause = null;
      if (touched) touch();
    }, PERIOD_MS).unref();
    setImmediate(() => {
      writing = writing.then(writeNow);
    });
  }

  return {
    touch,
    async close() {
      await writing;
      await write();
      if (pause !== null) clearTimeout(pause);
    },
  };
}
