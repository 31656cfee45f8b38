import { toDatabaseText, type Verbatim } from './database-text.js';

/**
 * Array parameters in Postgres' binary format, for sets: nothing is escaped on one side and parsed on the other, which
 * would cost more than saving the rows. The driver sends a Buffer as binary; the statement says the type, as in
 * `?::text[]`.
 */
interface ElementType {
  oid: number;
  /** Bytes of a value. */
  size: number;
  /** Returns where it ended. */
  write(buffer: Buffer, value: number | boolean, at: number): number;
}

const TEXT_OID = 25;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** `?::text[]`, of any strings. */
export function textArray(given: readonly (string | Verbatim | null)[]): Buffer {
  const values = given.map(storedText);
  // Room for the longest that it may be is cheaper than to ask every text for its length first.
  let most = HEADER_BYTES;
  for (const value of values) most += LENGTH_BYTES + (value === null ? 0 : value.length * 3);
  const buffer = withHeader(most, TEXT_OID, values);
  let at = HEADER_BYTES;
  for (const value of values) {
    const size = value === null ? NULL_LENGTH : writeText(buffer, value, at + LENGTH_BYTES);
    buffer.writeInt32BE(size, at);
    at += LENGTH_BYTES + Math.max(size, 0);
  }
  return buffer.subarray(0, at);
}

/** `?::integer[]` */
export const integerArray = (values: readonly (number | null)[]): Buffer => encoded(integer, values);

/** `?::bigint[]`; whole numbers. */
export const bigintArray = (values: readonly (number | null)[]): Buffer => encoded(bigint, values);

/** `?::float8[]` */
export const floatArray = (values: readonly (number | null)[]): Buffer => encoded(float8, values);

/** `?::boolean[]` */
export const booleanArray = (values: readonly (boolean | null)[]): Buffer => encoded(boolean, values);

/** A `text[]` written as text: an element that is an array itself. */
export function arrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

function storedText(value: string | Verbatim | null): string | null {
  if (typeof value === 'string') return toDatabaseText(value);
  return value === null ? null : value.text;
}

/** A text as short as this is copied sooner than Node's own writer is called. */
const SHORT = 48;

function writeText(buffer: Buffer, value: string, at: number): number {
  if (value.length > SHORT) return buffer.write(value, at);
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code > 127) return buffer.write(value, at);
    buffer[at + index] = code;
  }
  return value.length;
}

const integer: ElementType = { oid: 23, size: 4, write: (buffer, value, at) => buffer.writeInt32BE(Number(value), at) };

const bigint: ElementType = {
  oid: 20,
  size: 8,
  write: (buffer, value, at) => buffer.writeBigInt64BE(BigInt(value), at),
};

const float8: ElementType = {
  oid: 701,
  size: 8,
  write: (buffer, value, at) => buffer.writeDoubleBE(Number(value), at),
};

const boolean: ElementType = {
  oid: 16,
  size: 1,
  write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at),
};

function encoded(type: ElementType, values: readonly (number | boolean | null)[]): Buffer {
  const buffer = withHeader(HEADER_BYTES + values.length * (LENGTH_BYTES + type.size), type.oid, values);
  let at = HEADER_BYTES;
  for (const value of values) {
    buffer.writeInt32BE(value === null ? NULL_LENGTH : type.size, at);
    at += LENGTH_BYTES;
    if (value !== null) at = type.write(buffer, value, at);
  }
  return buffer.subarray(0, at);
}

function withHeader(bytes: number, oid: number, values: readonly unknown[]): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}
