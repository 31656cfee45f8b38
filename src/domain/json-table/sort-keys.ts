import { type Pausing, STEPS } from '../in-turns.js';
import { BACKSLASH, QUOTE } from './json-table.js';

/** So few are put in order by comparing them. */
const FEW = 12;
/** Keys of ASCII alone are sorted by four units at a time. */
const ASCII = 0x7f;

/**
 * Puts the keys of one object in order, by UTF-16 code unit, in time linear in their length: a few units at a time, each
 * time only those that were equal so far. Comparing whole keys takes many times as long where there are tens of thousands.
 */
export class KeySorter {
  /** The keys, one behind the other. */
  units = new Uint16Array(256);
  private starts = new Int32Array(64);
  private order = new Int32Array(64);
  /** Of each key some units, and below them which key it is: sorted as numbers, without a function. */
  private entries = new BigUint64Array(64);
  private halves = new Uint32Array(this.entries.buffer);
  private count = 0;
  private used = 0;
  /** Parts that are yet to be put in order; all keys of one are equal before `depth`. */
  private open: { from: number; to: number; depth: number }[] = [];
  private readonly most: number;

  /** @param most units that all keys of an object have together at most */
  constructor(most: number) {
    this.most = most;
  }

  clear(): void {
    this.count = 0;
    this.used = 0;
  }

  /** Where the units of the next key are to be written: there is room for so many. */
  room(length: number): number {
    if (this.used + length > this.units.length) {
      const { units } = this;
      this.units = new Uint16Array(this.most);
      this.units.set(units);
    }
    return this.used;
  }

  /** A key of so many units was written there. */
  add(length: number): void {
    if (this.count + 1 >= this.starts.length) this.grow();
    this.starts[this.count] = this.used;
    this.used += length;
    this.count += 1;
    this.starts[this.count] = this.used;
  }

  /** Places of the keys, in their order; equal ones as they came. */
  *sorted(): Pausing<Int32Array> {
    const { order, count, open } = this;
    let done = 0;
    for (let index = 0; index < count; index += 1) order[index] = index;
    const width = count > FEW && this.isAscii() ? 4 : 1;
    open.push({ from: 0, to: count, depth: 0 });
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      const { from, to, depth } = part;
      done += to - from;
      if (done > STEPS) {
        yield;
        done = 0;
      }
      if (to - from <= FEW) this.insertionSort(from, to, depth);
      else yield* this.sortByUnits(from, to, this.commonTo(from, to, depth), width);
    }
    return order.subarray(0, count);
  }

  /** 0: equal. */
  compare(a: number, b: number, depth = 0): number {
    for (let at = depth; ; at += 1) {
      const unit = this.unitAt(a, at);
      const difference = unit - this.unitAt(b, at);
      if (difference !== 0 || unit === 0) return difference;
    }
  }

  private isAscii(): boolean {
    let bits = 0;
    for (let at = 0; at < this.used; at += 1) bits |= this.units[at] as number;
    return bits <= ASCII;
  }

  /** By `width` units: those that are equal in them are left for later. */
  private *sortByUnits(from: number, to: number, depth: number, width: 1 | 4): Pausing<void> {
    const { order, halves } = this;
    for (let at = from; at < to; at += 1) {
      const index = order[at] as number;
      let units = this.unitAt(index, depth);
      for (let more = 1; more < width; more += 1) units = (units << 8) | this.unitAt(index, depth + more);
      halves[2 * at] = index;
      halves[2 * at + 1] = units;
      if (at % STEPS === STEPS - 1) yield;
    }
    this.entries.subarray(from, to).sort();
    let start = from;
    for (let at = from; at < to; at += 1) {
      if (at % STEPS === STEPS - 1) yield;
      order[at] = halves[2 * at] as number;
      const units = halves[2 * at + 1];
      if (at + 1 < to && halves[2 * at + 3] === units) continue;
      // What has ended is equal to the end.
      const hasEnded = this.unitAt(order[at] as number, depth + width - 1) === 0;
      if (at > start && !hasEnded) this.open.push({ from: start, to: at + 1, depth: depth + width });
      start = at + 1;
    }
  }

  /** How far all of them are equal. */
  private commonTo(from: number, to: number, depth: number): number {
    const first = this.order[from] as number;
    let end = Number.POSITIVE_INFINITY;
    for (let at = from + 1; at < to && end > depth; at += 1) {
      const other = this.order[at] as number;
      let common = depth;
      while (
        common < end &&
        this.unitAt(first, common) === this.unitAt(other, common) &&
        this.unitAt(first, common) > 0
      )
        common += 1;
      end = common;
    }
    return end;
  }

  private insertionSort(from: number, to: number, depth: number): void {
    const { order } = this;
    for (let at = from + 1; at < to; at += 1) {
      const index = order[at] as number;
      let before = at;
      while (before > from && this.compare(order[before - 1] as number, index, depth) > 0) {
        order[before] = order[before - 1] as number;
        before -= 1;
      }
      order[before] = index;
    }
  }

  /** One more than the unit; 0: the key has ended. */
  private unitAt(index: number, depth: number): number {
    const at = (this.starts[index] as number) + depth;
    return at < (this.starts[index + 1] as number) ? (this.units[at] as number) + 1 : 0;
  }

  private grow(): void {
    const { starts } = this;
    this.starts = new Int32Array(4 * starts.length);
    this.starts.set(starts);
    this.order = new Int32Array(this.starts.length);
    this.entries = new BigUint64Array(this.starts.length);
    this.halves = new Uint32Array(this.entries.buffer);
  }
}

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
