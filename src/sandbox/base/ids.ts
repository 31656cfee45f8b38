import { hashText, hexOf, mix32, unmix32 } from './random.js';

/** Turns a running number into an id and back. Ids look random: their order says nothing about age. */
export interface IdCodec {
  encode(n: number): string;
  /** null for an id that this codec never gave. */
  decode(id: string): number | null;
}

export function createIdCodec(seed: number, prefix: string): IdCodec {
  const key = hashText(seed, `id:${prefix}`);
  const encode = (n: number): string =>
    `${prefix}_${mix32((n ^ key) >>> 0)
      .toString(16)
      .padStart(8, '0')}${hexOf(seed, prefix, n, 16)}`;
  return {
    encode,
    decode(id) {
      const digits = id.slice(prefix.length + 1, prefix.length + 9);
      if (!/^[0-9a-f]{8}$/.test(digits)) return null;
      const n = (unmix32(Number.parseInt(digits, 16)) ^ key) >>> 0;
      return encode(n) === id ? n : null;
    },
  };
}
