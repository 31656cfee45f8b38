import { type Pausing, SLICE } from '../in-turns.js';
import {
  AFTER,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  END,
  type JsonTable,
  LINK,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  START,
} from './json-table.js';
import { writeQuoted, writeUnits } from './sort-keys.js';

const NONE = -1;

/** `canonicalJson` of a document, and of the same document without one member. */
export interface CanonicalText {
  whole: string;
  others: string;
}

/** One writing for both: where the member stands is noted. */
export function writingCanonical(table: JsonTable, member: string): Pausing<CanonicalText> {
  return new Writer(table, member).document();
}

interface Open {
  isObject: boolean;
  /** Its next key or item; what it ends with: none. */
  next: number;
  end: number;
  isFirst: boolean;
}

class Writer {
  private at = 0;
  private readonly units: Uint16Array;
  /** What the string at hand says. */
  private said = new Uint16Array(0);
  private readonly opened: Open[] = [];
  private depth = 0;
  private readonly table: JsonTable;
  /** The member's key; where the member begins and ends in the text, with the comma before it. */
  private readonly key: number;
  private from = NONE;
  private to = NONE;

  constructor(table: JsonTable, member: string) {
    this.table = table;
    this.key = (table.member(0, member) ?? 0) - 1;
    // A string gets longer only where a surrogate alone is written as it is.
    this.units = new Uint16Array(table.text.length * (table.text.isWellFormed() ? 1 : 6));
  }

  *document(): Pausing<CanonicalText> {
    let pause = SLICE;
    this.write(0);
    while (this.depth > 0) {
      const open = this.opened[this.depth - 1] as Open;
      if (this.depth === 1) this.noteMember(open.next);
      this.writeNext(open);
      if (this.at < pause) continue;
      yield;
      pause = this.at + SLICE;
    }
    const whole = Buffer.from(this.units.buffer, 0, 2 * this.at).toString('utf16le');
    return { whole, others: this.from === NONE ? whole : whole.slice(0, this.from) + whole.slice(this.to) };
  }

  /** The first member has no comma before it, but the next one has. */
  private noteMember(next: number): void {
    if (next === this.key) this.from = this.at;
    else if (this.from !== NONE && this.to === NONE) this.to = this.at + (this.from === 1 && next !== 0 ? 1 : 0);
  }

  /** A value that holds others only up to the first of them. */
  private write(part: number): void {
    const { table } = this;
    const start = table.at(part, START);
    const code = table.text.charCodeAt(start);
    if (code === OPEN_BRACE) this.open(true, table.at(part, LINK), 0);
    else if (code === OPEN_BRACKET) this.open(false, part + 1, table.at(part, AFTER));
    else if (code === QUOTE) this.writeString(part);
    else this.copy(start, table.at(part, END));
  }

  private open(isObject: boolean, next: number, end: number): void {
    const open = (this.opened[this.depth] ??= { isObject, next, end, isFirst: true });
    open.isObject = isObject;
    open.next = next;
    open.end = end;
    open.isFirst = true;
    this.depth += 1;
    this.put(isObject ? OPEN_BRACE : OPEN_BRACKET);
  }

  private writeNext(open: Open): void {
    const { table } = this;
    const { isObject, next, end } = open;
    if (next === end) {
      this.depth -= 1;
      this.put(isObject ? CLOSE_BRACE : CLOSE_BRACKET);
      return;
    }
    open.next = isObject ? table.at(next, LINK) : table.at(next, AFTER);
    if (!open.isFirst) this.put(COMMA);
    open.isFirst = false;
    if (isObject) {
      this.writeString(next);
      this.put(COLON);
    }
    this.write(isObject ? next + 1 : next);
  }

  private writeString(part: number): void {
    const { table, units, at } = this;
    const start = table.at(part, START);
    const end = table.at(part, END);
    if (this.copy(start, end)) return;
    if (this.said.length < end - start) this.said = new Uint16Array(2 * (end - start));
    const length = writeUnits(table.text, start + 1, end - 1, this.said, 0);
    this.at = writeQuoted(this.said, length, units, at + 1);
    this.put(QUOTE);
  }

  /** False, and nothing is written: there is an escape or a surrogate in it. */
  private copy(start: number, end: number): boolean {
    const { text } = this.table;
    let out = this.at;
    let plain = true;
    for (let at = start; at < end; at += 1) {
      const unit = text.charCodeAt(at);
      plain &&= unit !== BACKSLASH && (unit & 0xf800) !== 0xd800;
      this.units[out] = unit;
      out += 1;
    }
    if (plain) this.at = out;
    return plain;
  }

  private put(unit: number): void {
    this.units[this.at] = unit;
    this.at += 1;
  }
}
