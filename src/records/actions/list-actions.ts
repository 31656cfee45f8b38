import type { Knex } from 'knex';
import { type ActionView, actionShape } from '../../domain/views/operation-shapes.js';
import { type Filters, given, type Page, type PageQuery, pageById, viewById, within } from '../database/paging.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export type ActionFilters = Filters<'actor' | 'action' | 'target' | 'outcome'>;

/** Newest first, paged by key. Throws `CursorError`. */
export async function listActions(db: Knex, query: PageQuery & ActionFilters): Promise<Page<ActionView>> {
  return pageById(
    within(db('actions').where(given(query, 'actor', 'action', 'target', 'outcome')), query, 'at'),
    query,
    actionOf,
  );
}

export async function getAction(db: Knex, id: string): Promise<ActionView | null> {
  return viewById(db('actions'), id, actionOf);
}

function actionOf(row: RowOf<ActionView>): ActionView {
  return viewOf(actionShape, row);
}
