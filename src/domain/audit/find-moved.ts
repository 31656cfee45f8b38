import { canonicalJson } from '../canonical-json.js';
import { objectFromJsonText } from '../json.js';
import { type RowHash, rowHash, type SealedRow } from './seal.js';

/** So many of each are tried with one another. */
const MOST = 100;
/** A longer line is not kept. */
const LONGEST = 65_536;

export interface MovedRows {
  row(log: string, row: SealedRow): void;
  hash(log: string, hash: RowHash): void;
  /** Rows that are what was sealed, but for their place. */
  found(placeOf: (log: string) => string): { log: string; from: string; to: string }[];
}

/** Of rows that are not what was sealed at their place: which of them was sealed at another. The first hundred are tried. */
export function movedRows(): MovedRows {
  const rows: (SealedRow & { log: string })[] = [];
  const hashes: (RowHash & { log: string })[] = [];
  return {
    row: (log, row) => {
      if (rows.length < MOST && row.line.length <= LONGEST) rows.push({ ...row, log });
    },
    hash: (log, hash) => {
      if (hashes.length < MOST) hashes.push({ ...hash, log });
    },
    found: (placeOf) =>
      rows.flatMap((row) => {
        const fields = objectFromJsonText(row.line);
        const own = hashes.find(({ log, place, hash }) => {
          if (log !== row.log || place === row.place) return false;
          const line = canonicalJson({ ...fields, [placeOf(log)]: place });
          return rowHash({ place, line }).hash === hash;
        });
        return own === undefined ? [] : [{ log: row.log, from: own.place, to: row.place }];
      }),
  };
}
