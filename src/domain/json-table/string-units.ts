import { BACKSLASH, QUOTE } from './json-table.js';

/** The escapes of one letter, and what each stands for. */
const LETTERS = new Map(
  Array.from('"\\/bfnrt', (letter, at) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(at)]),
);
const SHORT = new Map([...LETTERS].filter(([letter]) => letter !== 0x2f).map(([letter, unit]) => [unit, letter]));
const HEX = '0123456789abcdef';

/** Past the escape whose backslash stands at `at`; -1: it is none of JSON's. */
export function endOfEscape(text: string, at: number): number {
  const letter = text.charCodeAt(at + 1);
  if (letter !== 0x75) return LETTERS.has(letter) ? at + 2 : -1;
  for (let place = at + 2; place < at + 6; place += 1) if (hexDigit(text.charCodeAt(place)) < 0) return -1;
  return at + 6;
}

/** Writes what the inside of a JSON string stands for; returns where it ends. Its escapes are right. */
export function writeUnits(text: string, start: number, end: number, to: Uint16Array, offset: number): number {
  let out = offset;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== BACKSLASH) {
      to[out] = unit;
    } else {
      at += 1;
      const letter = text.charCodeAt(at);
      if (letter === 0x75) {
        to[out] = hexUnit(text, at + 1);
        at += 4;
      } else to[out] = LETTERS.get(letter) as number;
    }
    out += 1;
  }
  return out;
}

/** Writes the first `length` of such units as JSON.stringify does, without the quotes; returns where it ends. */
export function writeQuoted(units: Uint16Array, length: number, to: Uint16Array, offset: number): number {
  let out = offset;
  for (let at = 0; at < length; at += 1) {
    const unit = units[at] as number;
    const letter = unit < 0x20 || unit === QUOTE || unit === BACKSLASH ? SHORT.get(unit) : undefined;
    if (letter !== undefined) {
      to[out] = BACKSLASH;
      to[out + 1] = letter;
      out += 2;
    } else if (unit < 0x20 || isLone(units, length, at)) {
      to[out] = BACKSLASH;
      to[out + 1] = 0x75;
      for (let digit = 0; digit < 4; digit += 1) to[out + 2 + digit] = HEX.charCodeAt((unit >>> (12 - 4 * digit)) & 15);
      out += 6;
    } else {
      to[out] = unit;
      out += 1;
    }
  }
  return out;
}

function isLone(units: Uint16Array, length: number, at: number): boolean {
  const kind = (units[at] as number) & 0xfc00;
  if (kind === 0xd800) return at + 1 === length || ((units[at + 1] as number) & 0xfc00) !== 0xdc00;
  return kind === 0xdc00 && (at === 0 || ((units[at - 1] as number) & 0xfc00) !== 0xd800);
}

function hexUnit(text: string, at: number): number {
  let unit = 0;
  for (let place = at; place < at + 4; place += 1) unit = unit * 16 + hexDigit(text.charCodeAt(place));
  return unit;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
