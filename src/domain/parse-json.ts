import { LosslessNumber } from 'lossless-json';
import type { Json, JsonObject } from './json.js';

/** Why a text is not JSON. Names a position, never the text around it. */
export class JsonTextError extends Error {
  readonly position: number;

  constructor(problem: string, position: number) {
    super(`${problem} at position ${position}`);
    this.name = 'JsonTextError';
    this.position = position;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/**
 * Reads JSON (RFC 8259) more strictly than most: a key twice in one object is refused, also where it is written with
 * escapes, and so is a nesting deeper than `maxDepth`, in time linear in the text. Numbers keep their digits;
 * `__proto__` is a key like any other.
 *
 * @throws {JsonTextError}
 */
export function parseJson(text: string, maxDepth: number): Json {
  return new Reader(text, maxDepth).document();
}

class Reader {
  private at = 0;
  private depth = 0;
  private readonly text: string;
  private readonly maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  document(): Json {
    this.skipSpace();
    const value = this.readValue();
    this.skipSpace();
    if (this.at < this.text.length) this.fail('text after the end of the document');
    return value;
  }

  private readValue(): Json {
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        return this.readString();
      case OPEN_BRACE:
        return this.readObject();
      case OPEN_BRACKET:
        return this.readArray();
      case 0x74:
        return this.readWord('true', true);
      case 0x66:
        return this.readWord('false', false);
      case 0x6e:
        return this.readWord('null', null);
      default:
        return this.readNumber();
    }
  }

  private readObject(): JsonObject {
    this.enter();
    const object: JsonObject = {};
    if (this.closes(CLOSE_BRACE)) return object;
    do {
      this.skipSpace();
      const start = this.at;
      if (this.text.charCodeAt(start) !== QUOTE) this.fail('a quoted key is missing');
      const key = this.readString();
      if (Object.hasOwn(object, key)) this.fail('a key that the object already has', start);
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== COLON) this.fail('a colon is missing');
      this.at += 1;
      this.skipSpace();
      const value = this.readValue();
      if (key === '__proto__') defineProto(object, value);
      else object[key] = value;
    } while (this.goesOn(CLOSE_BRACE));
    return object;
  }

  private readArray(): Json[] {
    this.enter();
    const array: Json[] = [];
    if (this.closes(CLOSE_BRACKET)) return array;
    do {
      this.skipSpace();
      array.push(this.readValue());
    } while (this.goesOn(CLOSE_BRACKET));
    return array;
  }

  private readString(): string {
    const { text } = this;
    const start = this.at + 1;
    let escaped = false;
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return escaped ? this.unescape(start, at) : text.slice(start, at);
      }
      if (code < 0x20) this.fail('a control character inside a string', at);
      if (code === BACKSLASH) {
        escaped = true;
        at += 1;
      }
    }
    return this.fail('a string without an end', start - 1);
  }

  private unescape(start: number, end: number): string {
    try {
      return JSON.parse(this.text.slice(start - 1, end + 1)) as string;
    } catch {
      return this.fail('a string with a wrong escape', start - 1);
    }
  }

  private readNumber(): LosslessNumber {
    NUMBER.lastIndex = this.at;
    const digits = NUMBER.exec(this.text)?.[0];
    if (digits === undefined) return this.fail(this.at < this.text.length ? 'no JSON value' : 'an early end');
    this.at += digits.length;
    return new LosslessNumber(digits);
  }

  private readWord<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('no JSON value');
    this.at += word.length;
    return value;
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > this.maxDepth) this.fail(`nesting deeper than ${this.maxDepth}`);
    this.at += 1;
  }

  /** Whether what was just entered is empty. */
  private closes(bracket: number): boolean {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== bracket) return false;
    this.at += 1;
    this.depth -= 1;
    return true;
  }

  /** Past a comma: true. Past the closing bracket: false. */
  private goesOn(bracket: number): boolean {
    this.skipSpace();
    const code = this.text.charCodeAt(this.at);
    if (code !== COMMA && code !== bracket) this.fail('a comma or a closing bracket is missing');
    this.at += 1;
    if (code === COMMA) return true;
    this.depth -= 1;
    return false;
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

/** A plain assignment would set the object's prototype. */
function defineProto(object: JsonObject, value: Json): void {
  Object.defineProperty(object, '__proto__', { value, writable: true, enumerable: true, configurable: true });
}
