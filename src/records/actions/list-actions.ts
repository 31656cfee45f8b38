import type { Knex } from 'knex';
import { type ActionView, actionShape } from '../../domain/views/operation-shapes.js';
import { definedOnly } from '../database/defined-only.js';
import { type Page, type PageQuery, pageById } from '../database/paging.js';
import { isRowId } from '../database/row-id.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export interface ActionFilters {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  outcome?: string | undefined;
}

type Row = RowOf<ActionView>;

/** Newest first, paged by key. Throws `CursorError`. */
export async function listActions(db: Knex, query: PageQuery & ActionFilters): Promise<Page<ActionView>> {
  const { actor, action, target, outcome } = query;
  const rows = db('actions').select('*').where(definedOnly({ actor, action, target, outcome }));
  const { items, nextCursor } = await pageById<Row>(rows, query);
  return { items: items.map((row) => viewOf(actionShape, row)), nextCursor };
}

export async function getAction(db: Knex, id: string): Promise<ActionView | null> {
  if (!isRowId(id)) return null;
  const row = await db<Row>('actions').where({ id }).first();
  return row === undefined ? null : viewOf(actionShape, row);
}
