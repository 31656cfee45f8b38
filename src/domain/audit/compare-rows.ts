import { canonicalJson } from '../canonical-json.js';
import { objectFromJsonText } from '../json.js';
import { type RowHash, rowHash, type SealedRow } from './seal.js';

type RowFault = 'row_changed' | 'row_missing' | 'row_added';

/** Rows that stand beside one another in a log and have the same fault. */
export interface FaultyRows {
  what: RowFault;
  from: string;
  to: string;
  rows: number;
}

/** Holds rows against the hashes that were sealed of them, one by one, and reports each run of faults as soon as it ends. */
export function compareRows(
  sealed: readonly RowHash[],
  report: (fault: FaultyRows) => void,
  loose: { row(row: SealedRow): void; hash(hash: RowHash): void },
) {
  let next = 0;
  let run: FaultyRows | null = null;
  const note = (what: RowFault | null, place: string): void => {
    if (run !== null && run.what !== what) report(run);
    if (run !== null && run.what === what) run = { ...run, to: place, rows: run.rows + 1 };
    else run = what === null ? null : { what, from: place, to: place, rows: 1 };
  };
  const missUntil = (place: bigint | null): void => {
    for (let hash = sealed[next]; hash !== undefined; hash = sealed[next]) {
      if (place !== null && BigInt(hash.place) >= place) return;
      note('row_missing', hash.place);
      loose.hash(hash);
      next += 1;
    }
  };
  return {
    add: (row: SealedRow): void => {
      missUntil(BigInt(row.place));
      const own = sealed[next];
      if (own === undefined || own.place !== row.place) {
        note('row_added', row.place);
        loose.row(row);
        return;
      }
      next += 1;
      const isSame = rowHash(row).hash === own.hash;
      note(isSame ? null : 'row_changed', row.place);
      if (isSame) return;
      loose.row(row);
      loose.hash(own);
    },
    end: (): void => {
      missUntil(null);
      note(null, '');
    },
  };
}

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
