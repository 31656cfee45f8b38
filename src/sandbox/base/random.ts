/** A seeded draw: the same seed, stream and number always give the same value in [0, 1), in any order of asking. */
export type Draw = (n: number) => number;

/** Invertible: a number and its mix are one to one, so that an id can be turned back into its number. */
export function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const INVERSE_A = 0xa5cb9243;
const INVERSE_B = 0x7ed1b41d;

export function unmix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), INVERSE_B);
  h = Math.imul(h ^ (h >>> 13) ^ (h >>> 26), INVERSE_A);
  return (h ^ (h >>> 16)) >>> 0;
}

export function hashText(seed: number, text: string): number {
  let h = mix32(seed ^ 0x9e3779b9);
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix32(h);
}

export function createDraw(seed: number, stream: string): Draw {
  const key = hashText(seed, stream);
  return (n) => mix32(mix32(n ^ key) + key) / 0x1_0000_0000;
}

/** A draw for each name, of the stream of that name behind the prefix. */
export const drawsOf = <N extends string>(seed: number, prefix: string, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, createDraw(seed, `${prefix}-${name}`)])) as Record<N, Draw>;

/** `length` hexadecimal digits that depend on the seed, the stream and the number only. */
export function hexOf(seed: number, stream: string, n: number, length: number): string {
  const key = hashText(seed, stream);
  let text = '';
  for (let i = 0; text.length < length; i += 1) {
    text += mix32(mix32(n ^ key) + Math.imul(i + 1, 0x9e3779b1))
      .toString(16)
      .padStart(8, '0');
  }
  return text.slice(0, length);
}

export function pick<T>(items: readonly [T, ...T[]], draw: number): T {
  return items[Math.floor(draw * items.length)] ?? items[0];
}
