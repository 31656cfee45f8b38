import { type Pausing, STEPS } from '../in-turns.js';

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
