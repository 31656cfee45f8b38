import { createHash } from 'node:crypto';

/** Together enough for five million ids at one mistake in a thousand, in 9 MB however many come. */
const BITS = 9 * 8 * 2 ** 20;
const HASHES = 8;

/**
 * The ids that a dry run has met. Bounded: of ids beyond some millions it may take a new one for known, so that the
 * rehearsal counts a little less; never a known one for new.
 */
export interface RehearsedIds {
  /** Whether the id comes for the first time; from then on it does not. */
  add(id: string): boolean;
}

export function createRehearsedIds(bits = BITS): RehearsedIds {
  const field = new Uint8Array(Math.ceil(bits / 8));
  return {
    add: (id) => {
      const digest = createHash('sha1').update(id).digest();
      const [a, b] = [digest.readUInt32LE(0), (digest.readUInt32LE(4) | 1) >>> 0];
      let isNew = false;
      for (let nth = 0; nth < HASHES; nth++) {
        const bit = (a + nth * b) % bits;
        const at = Math.floor(bit / 8);
        const mask = 1 << (bit % 8);
        const byte = field[at] ?? 0;
        if ((byte & mask) !== 0) continue;
        isNew = true;
        field[at] = byte | mask;
      }
      return isNew;
    },
  };
}
