import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 5;

/** Acts so often a second, whatever comes of it, until `work` is done; how often it did, and in how many seconds. */
export async function atRate(
  rate: number,
  act: (n: number) => void,
  work: () => Promise<void>,
): Promise<{ times: number; seconds: number }> {
  const state = { done: false };
  const working = work().finally(() => (state.done = true));
  const began = performance.now();
  let times = 0;
  while (!state.done) {
    const due = ((performance.now() - began) / 1_000) * rate;
    for (; times < due; times += 1) act(times);
    await delay(PAUSE_MS);
  }
  await working;
  return { times, seconds: (performance.now() - began) / 1_000 };
}
