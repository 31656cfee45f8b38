import type { Knex } from 'knex';
import type { EntityRef } from '../../domain/records.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import { rowsOf, tableOf } from '../database/statements.js';
import { type BreakRow, breakView } from './list-breaks.js';

/** Breaks about any of them that nobody has closed yet, newest first. */
export async function openBreaksOf(db: Knex, entities: readonly EntityRef[], now = new Date()): Promise<BreakView[]> {
  const rows = await rowsOf<BreakRow>(db)`
    SELECT breaks.* FROM breaks JOIN ${tableOf('asked', entities, { kind: 'text', id: 'text' })}
      ON entity_kind = asked.kind AND entity_id = asked.id
    WHERE status IN ('open', 'acknowledged') ORDER BY breaks.id DESC`;
  return rows.map((row) => breakView(row, now));
}
