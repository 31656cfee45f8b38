import { Refusal } from './refusal.js';

/** For moves that somebody else's may have made impossible: a refusal means that nothing happens. */
export function unlessRefused(move: () => void): void {
  try {
    move();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
