/** Something that is not as it was sealed, and where. */
export interface Finding {
  what:
    | 'row_changed'
    | 'row_missing'
    | 'row_added'
    /** Said besides: what was the row `from` is the row `to` now. */
    | 'row_moved'
    /** Rows whose seals are missing. */
    | 'row_unsealed'
    | 'seal_changed'
    | 'seal_missing'
    | 'head_changed'
    /** A stored file of a closed month. */
    | 'file_changed'
    /** Rows at the end of a log that others were made of. */
    | 'tail_missing';
  /** The number of the seal; null: no one seal. */
  seal: string | null;
  log: string | null;
  /** The first and the last: rows of the log, or seals where there is none. */
  from: string;
  to: string;
  /** How many rows. */
  rows: number;
  /** The same in words. */
  told: string;
}

export type ReportFinding = (finding: Finding) => void;
