import { canonicalJson, hashOfText } from '../canonical-json.js';
import type { JsonObject } from '../json.js';

export const NO_SEAL = '0'.repeat(64);

export interface SealedRow {
  /** Its place in the log: whole numbers that grow, with gaps. */
  place: string;
  /** Its line, whose SHA-256 the seal holds (docs/audit.md). */
  line: string;
}

export interface Seal {
  number: string;
  log: string;
  /** The rows above this place, up to `until`. */
  after: string;
  until: string;
  rows: number;
  rowsHash: string;
  previous: string;
  /** ISO 8601 UTC, to the millisecond. */
  sealedAt: string;
}

export interface RowHash {
  place: string;
  /** SHA-256, lowercase hex. */
  hash: string;
}

export const rowHash = ({ place, line }: SealedRow): RowHash => ({ place, hash: hashOfText(line) });

/** The one line that a row is hashed as. */
export const rowLine = (log: string, row: JsonObject): string => canonicalJson({ ...row, log });

/** The hash over all rows of a seal: of a line with place and hash for each. */
export function rowsHashOf(rows: readonly RowHash[]): string {
  return hashOfText(rows.map(({ place, hash: of }) => `${place} ${of}\n`).join(''));
}

/** The one line that a seal is hashed as. */
export function sealLine({ number, log, after, until, rows, rowsHash, previous, sealedAt }: Seal): string {
  return canonicalJson({ number, log, after, until, rows: String(rows), rowsHash, previous, sealedAt });
}

export const sealHash = (seal: Seal): string => hashOfText(sealLine(seal));

const PLACE_BYTES = 8;
const ROW_BYTES = PLACE_BYTES + 32;

/** As the table of seals holds them. */
export function packRowHashes(rows: readonly RowHash[]): Buffer {
  const packed = Buffer.alloc(rows.length * ROW_BYTES);
  for (const [n, row] of rows.entries()) {
    packed.writeBigInt64BE(BigInt(row.place), n * ROW_BYTES);
    packed.write(row.hash, n * ROW_BYTES + PLACE_BYTES, 'hex');
  }
  return packed;
}

/** Null: no such list. */
export function unpackRowHashes(packed: Buffer): RowHash[] | null {
  if (packed.length % ROW_BYTES !== 0) return null;
  return Array.from({ length: packed.length / ROW_BYTES }, (_, n) => ({
    place: String(packed.readBigInt64BE(n * ROW_BYTES)),
    hash: packed.toString('hex', n * ROW_BYTES + PLACE_BYTES, (n + 1) * ROW_BYTES),
  }));
}
