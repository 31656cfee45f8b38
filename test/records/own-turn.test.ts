import { expect, test } from 'vitest';
import { ownTurn, turnFor } from '../../src/records/own-turn.js';

/** Counts the turns of the event loop while the work is done. */
async function turnsOf(work: (turn: () => number) => Promise<unknown>): Promise<void> {
  let turn = 0;
  let counting = true;
  const count = () => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await work(() => turn).finally(() => {
    counting = false;
  });
}

test('whoever asks gets a turn that nobody else has', () =>
  turnsOf(async (turn) => {
    const had: number[] = [];
    const worker = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        await ownTurn();
        had.push(turn());
      }
    };
    await Promise.all([worker(3), worker(1), worker(5), worker(1)]);
    expect(had).toHaveLength(10);
    expect(new Set(had).size).toBe(10);
  }));

test('a large body waits for a turn, a small one does not', () =>
  turnsOf(async (turn) => {
    const begun = turn();
    await Promise.all(Array.from({ length: 20 }, () => turnFor(Buffer.alloc(32 * 1024))));
    expect(turn()).toBe(begun);
    await Promise.all(Array.from({ length: 20 }, () => turnFor(Buffer.alloc(32 * 1024 + 1))));
    expect(turn()).toBeGreaterThanOrEqual(begun + 19);
  }));
