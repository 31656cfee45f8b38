import type { BreakKind, Severity } from '../break.js';
import type { JsonObject } from '../json.js';
import type { EntityRef } from '../records.js';

interface BreakName {
  kind: BreakKind;
  entity: EntityRef;
}

/** What a check says of the records that it was given: what is wrong, and what is not, or no longer. */
export interface Findings {
  /** `evidence`: field by field ours, theirs, and the source of each. */
  open: (BreakName & { evidence: JsonObject; severity?: Severity; once?: boolean })[];
  resolve: BreakName[];
}
