import { LosslessNumber } from 'lossless-json';
import type { Json, JsonObject } from '../json.js';

/** Units of JSON text that end or begin something. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;

/** What is noted of each part. */
export const START = 0;
export const END = 1;
/** The part after it and all within it. */
export const AFTER = 2;
/** Of an object its first key in canonical order, of a key the next one; 0: none. */
export const LINK = 3;
export const STRIDE = 4;

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/**
 * JSON text that was read once, with where each of its parts stands: numbers in place of a tree of objects, which takes many
 * times as long to make and to throw away where a sender wants it so. The whole document is part 0; an object's members
 * follow it, each as two parts, key and value, an array's items one by one.
 */
export class JsonTable {
  readonly text: string;
  readonly size: number;
  private readonly cells: Int32Array;

  constructor(text: string, cells: Int32Array, size: number) {
    this.text = text;
    this.cells = cells;
    this.size = size;
  }

  at(part: number, what: number): number {
    return this.cells[part * STRIDE + what] as number;
  }

  kind(part: number): JsonKind {
    const code = this.text.charCodeAt(this.at(part, START));
    if (code === OPEN_BRACE) return 'object';
    if (code === OPEN_BRACKET) return 'array';
    if (code === QUOTE) return 'string';
    if (code === 0x6e) return 'null';
    return code === 0x74 || code === 0x66 ? 'boolean' : 'number';
  }

  textOf(part: number): string {
    const start = this.at(part, START);
    const end = this.at(part, END);
    if (this.text.charCodeAt(start) !== QUOTE) return this.text.slice(start, end);
    const inside = this.text.slice(start + 1, end - 1);
    return inside.includes('\\') ? (JSON.parse(`"${inside}"`) as string) : inside;
  }

  /** The value of an object's member, of any kind or of this one; null: it has none such, or is no object. */
  member(part: number, name: string, kind?: JsonKind): number | null {
    const member = this.memberNamed(part, name);
    return member === null || kind === undefined || this.kind(member) === kind ? member : null;
  }

  private memberNamed(part: number, name: string): number | null {
    if (this.kind(part) !== 'object') return null;
    for (let key = part + 1; key < this.at(part, AFTER); key = this.at(key + 1, AFTER)) {
      const length = this.at(key, END) - this.at(key, START) - 2;
      // An escape is longer than what it stands for.
      if (length < name.length || (length === name.length && !this.text.startsWith(name, this.at(key, START) + 1)))
        continue;
      if (length === name.length || this.textOf(key) === name) return key + 1;
    }
    return null;
  }

  item(part: number, index: number): number | null {
    if (this.kind(part) !== 'array') return null;
    let item = part + 1;
    for (let n = 0; n < index && item < this.at(part, AFTER); n += 1) item = this.at(item, AFTER);
    return item < this.at(part, AFTER) ? item : null;
  }

  value(part = 0): Json {
    switch (this.kind(part)) {
      case 'object':
        return this.object(part);
      case 'array':
        return this.array(part);
      case 'string':
        return this.textOf(part);
      case 'number':
        return new LosslessNumber(this.textOf(part));
      case 'null':
        return null;
      case 'boolean':
        return this.text.charCodeAt(this.at(part, START)) === 0x74;
      default:
        throw new TypeError('no JSON value');
    }
  }

  private object(part: number): JsonObject {
    const object: JsonObject = {};
    const after = this.at(part, AFTER);
    for (let key = part + 1; key < after; key = this.at(key + 1, AFTER)) {
      const name = this.textOf(key);
      const value = this.value(key + 1);
      // A plain assignment would set the object's prototype.
      if (name === '__proto__')
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
      else object[name] = value;
    }
    return object;
  }

  private array(part: number): Json[] {
    const array: Json[] = [];
    const after = this.at(part, AFTER);
    for (let item = part + 1; item < after; item = this.at(item, AFTER)) array.push(this.value(item));
    return array;
  }
}

/** A record stands no deeper in the data of an event. */
const DEEPEST = 6;
const MOST_MEMBERS = 1_000;

/** Of a document too large to be made whole: a thousand members, texts before objects, nothing deep. Enough to see its record. */
export function outlineOf(table: JsonTable, part: number): JsonObject {
  let left = MOST_MEMBERS;
  const outline = (object: number, depth: number): JsonObject => {
    const members: [string, JsonObject | string][] = [];
    for (const value of valuesOf(table, object, 'string')) {
      if (left <= 0) break;
      left -= 1;
      members.push([table.textOf(value - 1), table.textOf(value)]);
    }
    for (const value of depth < DEEPEST ? valuesOf(table, object, 'object') : []) {
      if (left <= 0) break;
      left -= 1;
      members.push([table.textOf(value - 1), outline(value, depth + 1)]);
    }
    return Object.fromEntries(members);
  };
  return outline(part, 0);
}

/** The first of the values of that kind. */
function valuesOf(table: JsonTable, object: number, kind: JsonKind): number[] {
  const values: number[] = [];
  const after = table.at(object, AFTER);
  for (let key = object + 1; key < after && values.length < MOST_MEMBERS; key = table.at(key + 1, AFTER))
    if (table.kind(key + 1) === kind) values.push(key + 1);
  return values;
}
