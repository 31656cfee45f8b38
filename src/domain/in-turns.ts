/** Work that is long where a sender wants it so. At each `yield` others may go first. */
export type Pausing<T> = Generator<void, T>;

/** So many characters, or about as much other work, are dealt with before others may go first: a few milliseconds. */
export const SLICE = 64 * 1024;

/** The same in steps that each take the time of some characters. */
export const STEPS = 8 * 1024;

export function atOnce<T>(work: Pausing<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** @param turn resolves once others had theirs */
export async function inTurns<T>(work: Pausing<T>, turn: () => Promise<void>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await turn();
    step = work.next();
  }
  return step.value;
}
