const PERIOD_MS = 1_000;

interface Counting<Count> {
  /** Counts of one key are one. */
  keyOf: (count: Count) => string;
  merge: (known: Count, more: Count) => void;
  save: (counts: Count[]) => Promise<void>;
  failed: (error: unknown) => void;
}

export interface CountsBehind<Count> {
  /** Never waits. */
  add(count: Count): void;
  /** Writes once more, after what is under way. */
  close(): Promise<void>;
}

/**
 * Counts in memory, written at once after a pause, and once a second for as long as there are more. What can't be written is
 * kept, and tried again with what came meanwhile.
 */
export function countBehind<Count extends object>({
  keyOf,
  merge,
  save,
  failed,
}: Counting<Count>): CountsBehind<Count> {
  const counts = new Map<string, Count>();
  let pause: NodeJS.Timeout | null = null;
  let touched = false;
  let writing = Promise.resolve();

  function take(count: Count): void {
    const known = counts.get(keyOf(count));
    if (known === undefined) counts.set(keyOf(count), { ...count });
    else merge(known, count);
  }

  /** False: some are to be written again. */
  async function write(): Promise<boolean> {
    touched = false;
    const counted = [...counts.values()];
    counts.clear();
    try {
      if (counted.length > 0) await save(counted);
      return true;
    } catch (error) {
      failed(error);
      counted.forEach(take);
      return false;
    }
  }

  function touch(): void {
    touched = true;
    if (pause !== null) return;
    pause = setTimeout(() => {
      pause = null;
      if (touched) touch();
    }, PERIOD_MS).unref();
    setImmediate(() => {
      writing = writing.then(async () => {
        if (!(await write())) touch();
      });
    });
  }

  return {
    add(count) {
      take(count);
      touch();
    },
    async close() {
      await writing;
      await write();
      if (pause !== null) clearTimeout(pause);
    },
  };
}
