/**
 * Array parameters in Postgres' binary format, for sets: nothing is escaped on one side and parsed on the other, which
 * would cost more than saving the rows. The driver sends a Buffer as binary; the statement says the type, as in
 * `?::text[]`.
 */
interface ElementType {
  oid: number;
  /** Bytes that the value takes at most. */
  most(value: string | number | boolean): number;
  /** Returns how many bytes it took. */
  write(buffer: Buffer, value: string | number | boolean, at: number): number;
}

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** `?::text[]` */
export function textArray(values: readonly (string | null)[]): Buffer {
  return encoded(text, values);
}

/** `?::integer[]` */
export function integerArray(values: readonly (number | null)[]): Buffer {
  return encoded(integer, values);
}

/** `?::bigint[]`; whole numbers. */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  return encoded(bigint, values);
}

/** `?::float8[]` */
export function floatArray(values: readonly (number | null)[]): Buffer {
  return encoded(float8, values);
}

/** `?::boolean[]` */
export function booleanArray(values: readonly (boolean | null)[]): Buffer {
  return encoded(boolean, values);
}

/** A `text[]` written as text: an element that is an array itself. */
export function arrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

const text: ElementType = {
  oid: 25,
  most: (value) => String(value).length * 3,
  write: (buffer, value, at) => buffer.write(String(value), at),
};

const integer: ElementType = {
  oid: 23,
  most: () => 4,
  write: (buffer, value, at) => buffer.writeInt32BE(Number(value), at) - at,
};

const bigint: ElementType = {
  oid: 20,
  most: () => 8,
  write: (buffer, value, at) => buffer.writeBigInt64BE(BigInt(value), at) - at,
};

const float8: ElementType = {
  oid: 701,
  most: () => 8,
  write: (buffer, value, at) => buffer.writeDoubleBE(Number(value), at) - at,
};

const boolean: ElementType = {
  oid: 16,
  most: () => 1,
  write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at) - at,
};

/** Room for the longest that it may be is cheaper than to ask every text for its length first. */
function encoded(type: ElementType, values: readonly (string | number | boolean | null)[]): Buffer {
  let most = HEADER_BYTES;
  for (const value of values) most += LENGTH_BYTES + (value === null ? 0 : type.most(value));
  const buffer = Buffer.allocUnsafe(most);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(type.oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const value of values) {
    const size = value === null ? NULL_LENGTH : type.write(buffer, value, at + LENGTH_BYTES);
    buffer.writeInt32BE(size, at);
    at += LENGTH_BYTES + Math.max(size, 0);
  }
  return buffer.subarray(0, at);
}
