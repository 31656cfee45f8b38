import { atOnce, type Pausing, SLICE, STEPS } from '../in-turns.js';
import type { Json } from '../json.js';
import {
  AFTER,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  END,
  JsonTable,
  LINK,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  START,
  STRIDE,
} from './json-table.js';
import { endOfEscape, KeySorter, writeUnits } from './sort-keys.js';

/** Why a text is not JSON. Names a position, never the text around it. */
export class JsonTextError extends Error {
  readonly position: number;

  constructor(problem: string, position: number) {
    super(`${problem} at position ${position}`);
    this.name = 'JsonTextError';
    this.position = position;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** As deep as JSON of the service is taken, whichever way it comes. */
export const MAX_DEPTH = 512;
const FIRST_ROOM = 128;
const NONE = -1;

/**
 * Reads JSON (RFC 8259) more strictly than most: a key twice in one object is refused, also where it is written with
 * escapes, and so is a nesting deeper than `maxDepth`, in time linear in the text.
 *
 * @throws {JsonTextError}
 */
export const readTable = (text: string, maxDepth: number): JsonTable => atOnce(readingTable(text, maxDepth));

export function readingTable(text: string, maxDepth: number): Pausing<JsonTable> {
  return new Reader(text, maxDepth).document();
}

interface Open {
  part: number;
  isObject: boolean;
  /** Of an object its newest key, or itself. */
  last: number;
  inOrder: boolean;
}

class Reader {
  private at = 0;
  private count = 0;
  private cells = new Int32Array(FIRST_ROOM * STRIDE);
  private escaped = false;
  /** The first `depth` of them are open. */
  private readonly opened: Open[] = [];
  private depth = 0;
  private readonly sorter: KeySorter;
  private readonly text: string;
  private readonly maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.sorter = new KeySorter(text.length);
  }

  *document(): Pausing<JsonTable> {
    let pause = SLICE;
    this.skipSpace();
    do {
      if (this.readValue())
        for (let object = this.goOn(); object !== NONE; object = this.goOn()) yield* this.sortKeys(object);
      if (this.at < pause) continue;
      yield;
      pause = this.at + SLICE;
    } while (this.depth > 0);
    this.skipSpace();
    if (this.at < this.text.length) this.fail('text after the end of the document');
    return new JsonTable(this.text, this.cells, this.count);
  }

  /** Up to where its first value or item begins, if it has any; else past its end: true. */
  private readValue(): boolean {
    const part = this.begin();
    const code = this.text.charCodeAt(this.at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) return this.open(part, code === OPEN_BRACE);
    if (code === QUOTE) this.readString();
    else if (code === 0x74) this.readWord('true');
    else if (code === 0x66) this.readWord('false');
    else if (code === 0x6e) this.readWord('null');
    else this.readNumber();
    this.end(part);
    return true;
  }

  private open(part: number, isObject: boolean): boolean {
    if (this.depth === this.maxDepth) this.fail(`nesting deeper than ${this.maxDepth}`);
    this.at += 1;
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
      this.at += 1;
      this.end(part);
      return true;
    }
    const open = (this.opened[this.depth] ??= { part, isObject, last: part, inOrder: true });
    open.part = part;
    open.isObject = isObject;
    open.last = part;
    open.inOrder = true;
    this.depth += 1;
    if (isObject) this.readKey(open);
    return false;
  }

  /** Behind a value, up to where the next one begins; or up to the end of an object whose keys are in no order: that object. */
  private goOn(): number {
    while (this.depth > 0) {
      const open = this.opened[this.depth - 1] as Open;
      this.skipSpace();
      const code = this.text.charCodeAt(this.at);
      if (code !== COMMA && code !== (open.isObject ? CLOSE_BRACE : CLOSE_BRACKET))
        this.fail('a comma or a closing bracket is missing');
      this.at += 1;
      if (code === COMMA) {
        this.skipSpace();
        if (open.isObject) this.readKey(open);
        return NONE;
      }
      this.depth -= 1;
      this.end(open.part);
      if (!open.inOrder) return open.part;
    }
    return NONE;
  }

  private readKey(open: Open): void {
    const { last } = open;
    if (this.text.charCodeAt(this.at) !== QUOTE) this.fail('a quoted key is missing');
    const key = this.begin();
    this.readString();
    this.end(key);
    open.inOrder &&= !this.escaped && (last === open.part || this.isAfter(last, key));
    open.last = key;
    this.note(last, LINK, key);
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== COLON) this.fail('a colon is missing');
    this.at += 1;
    this.skipSpace();
  }

  /** Whether `key` comes after `last` in canonical order; both without escapes. */
  private isAfter(last: number, key: number): boolean {
    const { text } = this;
    let before = this.cell(last, START) + 1;
    let at = this.cell(key, START) + 1;
    // A quote, which ends both, is no part of a key that has no escapes.
    for (; ; before += 1, at += 1) {
      const unit = text.charCodeAt(before);
      const other = text.charCodeAt(at);
      if (unit !== other) return unit === QUOTE || (other !== QUOTE && unit < other);
      if (unit === QUOTE) return false;
    }
  }

  /** Links the keys anew, in canonical order. One that is there twice is refused. */
  private *sortKeys(object: number): Pausing<void> {
    const { sorter } = this;
    const keys: number[] = [];
    let gathered = 0;
    sorter.clear();
    for (let key = this.cell(object, LINK); key !== 0; key = this.cell(key, LINK)) {
      const start = this.cell(key, START) + 1;
      const end = this.cell(key, END) - 1;
      const offset = sorter.room(end - start);
      sorter.add(writeUnits(this.text, start, end, sorter.units, offset) - offset);
      keys.push(key);
      gathered += end - start;
      if (gathered < SLICE) continue;
      yield;
      gathered = 0;
    }
    const sorted = yield* sorter.sorted();
    let last = object;
    let twice = Number.POSITIVE_INFINITY;
    let before = -1;
    for (const [done, index] of sorted.entries()) {
      if (done % STEPS === STEPS - 1) yield;
      const key = keys[index] as number;
      if (before >= 0 && sorter.compare(before, index) === 0) twice = Math.min(twice, this.cell(key, START));
      this.note(last, LINK, key);
      last = key;
      before = index;
    }
    this.note(last, LINK, 0);
    if (twice < Number.POSITIVE_INFINITY) this.fail('a key that the object already has', twice);
  }

  private readString(): void {
    const { text } = this;
    const start = this.at;
    this.escaped = false;
    let wrong = false;
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        if (wrong) this.fail('a string with a wrong escape', start);
        this.at = at + 1;
        return;
      }
      if (code < 0x20) this.fail('a control character inside a string', at);
      if (code === BACKSLASH) {
        this.escaped = true;
        const end = endOfEscape(text, at);
        wrong ||= end === -1;
        at = Math.max(at + 1, end - 1);
      }
    }
    this.fail('a string without an end', start);
  }

  private readNumber(): void {
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.text)) this.fail(this.at < this.text.length ? 'no JSON value' : 'an early end');
    this.at = NUMBER.lastIndex;
  }

  private readWord(word: string): void {
    if (!this.text.startsWith(word, this.at)) this.fail('no JSON value');
    this.at += word.length;
  }

  private begin(): number {
    const part = this.count;
    this.count += 1;
    if (this.count * STRIDE > this.cells.length) {
      // For all that the text may hold: a part has a unit of its own and one that ends it, but for the open ones. Copied once.
      const { cells } = this;
      this.cells = new Int32Array(STRIDE * (Math.ceil((this.text.length + this.maxDepth) / 2) + 1));
      this.cells.set(cells);
    }
    this.note(part, START, this.at);
    return part;
  }

  private end(part: number): void {
    this.note(part, END, this.at);
    this.note(part, AFTER, this.count);
  }

  private cell(part: number, what: number): number {
    return this.cells[part * STRIDE + what] as number;
  }

  private note(part: number, what: number, value: number): void {
    this.cells[part * STRIDE + what] = value;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private fail(problem: string, position = this.at): never {
    throw new JsonTextError(problem, position);
  }
}

/** Reads JSON as `readTable` does, whole. Numbers keep their digits; `__proto__` is a key like any other. @throws {JsonTextError} */
export const parseJson = (text: string, maxDepth: number): Json => readTable(text, maxDepth).value();
