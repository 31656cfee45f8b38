/**
 * Array parameters in Postgres' binary format, for sets: nothing is escaped on one side and parsed on the other, which
 * would cost more than saving the rows. The driver sends a Buffer as binary; the statement says the type, as in
 * `?::text[]`.
 */
interface ElementType {
  oid: number;
  size(value: string | number | boolean): number;
  write(buffer: Buffer, value: string | number | boolean, at: number): void;
}

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** `?::text[]` */
export function textArray(values: readonly (string | null)[]): Buffer {
  return encoded(text, values);
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
  size: (value) => Buffer.byteLength(String(value)),
  write: (buffer, value, at) => buffer.write(String(value), at),
};

const bigint: ElementType = {
  oid: 20,
  size: () => 8,
  write: (buffer, value, at) => buffer.writeBigInt64BE(BigInt(value), at),
};

const float8: ElementType = {
  oid: 701,
  size: () => 8,
  write: (buffer, value, at) => buffer.writeDoubleBE(Number(value), at),
};

const boolean: ElementType = {
  oid: 16,
  size: () => 1,
  write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at),
};

function encoded(type: ElementType, values: readonly (string | number | boolean | null)[]): Buffer {
  const sizes = values.map((value) => (value === null ? NULL_LENGTH : type.size(value)));
  const bytes = sizes.reduce((sum, size) => sum + LENGTH_BYTES + Math.max(size, 0), HEADER_BYTES);
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(sizes.includes(NULL_LENGTH) ? 1 : 0, 4);
  buffer.writeInt32BE(type.oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? NULL_LENGTH;
    buffer.writeInt32BE(size, at);
    at += LENGTH_BYTES;
    if (value === null) continue;
    type.write(buffer, value, at);
    at += size;
  }
  return buffer;
}
