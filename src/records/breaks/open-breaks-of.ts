import type { Knex } from 'knex';
import type { EntityRef } from '../../domain/records.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import { textArray } from '../database/array-parameter.js';
import { type BreakRow, breakView } from './list-breaks.js';

/** Breaks about any of them that nobody has closed yet, newest first. */
export async function openBreaksOf(db: Knex, entities: readonly EntityRef[], now = new Date()): Promise<BreakView[]> {
  const { rows } = await db.raw<{ rows: BreakRow[] }>(
    `SELECT breaks.* FROM breaks JOIN unnest(?::text[], ?::text[]) AS asked (kind, id)
       ON entity_kind = asked.kind AND entity_id = asked.id
     WHERE status IN ('open', 'acknowledged') ORDER BY breaks.id DESC`,
    [textArray(entities.map(({ kind }) => kind)), textArray(entities.map(({ id }) => id))],
  );
  return rows.map((row) => breakView(row, now));
}
