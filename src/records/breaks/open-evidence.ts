import type { Knex } from 'knex';
import type { BreakKind } from '../../domain/breaks/breaks.js';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import type { EntityKind } from '../../domain/records.js';
import { raw, rowsOf, sql } from '../database/statements.js';

/** What the open breaks of a kind rest on, by the id of the record that each is about; `ids` null: all there are. */
export async function openEvidence(
  db: Knex,
  kind: BreakKind,
  entityKind: EntityKind,
  ids: readonly string[] | null,
): Promise<Map<string, JsonObject>> {
  if (ids?.length === 0) return new Map();
  const rows = await rowsOf<{ entity_id: string; evidence: string }>(db)`
    SELECT entity_id, evidence FROM breaks
    WHERE kind = ${kind} AND entity_kind = ${entityKind} AND status IN ('open', 'acknowledged')
      ${ids === null ? raw('') : sql`AND entity_id = ANY (${ids}::text[])`}`;
  return new Map(rows.map((row) => [row.entity_id, objectFromJsonText(row.evidence)]));
}
