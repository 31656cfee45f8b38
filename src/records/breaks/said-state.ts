import { raw } from '../database/statements.js';

const LAST = `FROM break_steps WHERE break_id = breaks.id
  AND action IN ('opened', 'escalated', 'acknowledged', 'resolved', 'written_off', 'auto_resolved') ORDER BY id DESC LIMIT 1`;

/** SQL: the status of a row of `breaks` as its steps, which are sealed, say it; null: they say none. */
export const SAID_STATUS = raw(
  `(SELECT CASE WHEN action IN ('opened', 'escalated') THEN 'open' ELSE action END ${LAST})`,
);

/** SQL: what stands in the action that writes a break off, for both sides that it was about. */
export const EVIDENCE_HASH = raw(`encode(sha256(convert_to(breaks.evidence, 'UTF8')), 'hex')`);

/** SQL: the moment of that step. */
export const SAID_AT = raw(`(SELECT at ${LAST})`);
