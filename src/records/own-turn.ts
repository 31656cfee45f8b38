/** A smaller body costs less than a millisecond. */
const LARGE_BODY = 32 * 1024;

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller has: what is done until the next wait is done alone. */
export function ownTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}

/** Before a step that reads all of the body: several large ones in one turn would hold up everybody else. */
export async function turnFor(body: Buffer | string): Promise<void> {
  if (body.length > LARGE_BODY) await ownTurn();
}
