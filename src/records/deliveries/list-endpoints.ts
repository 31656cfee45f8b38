import type { Knex } from 'knex';
import { type Page, type PageQuery, takeOf } from '../database/paging.js';
import { listRecords, type RecordView } from '../rows.js';

/**
 * Endpoints as records, with one filter more: `isActive`, `true` or `false`. It has no column; an account has so few
 * endpoints that they are looked through. Throws `CursorError`.
 */
export async function listEndpoints(
  db: Knex,
  query: PageQuery & { filters?: Readonly<Record<string, string>> },
): Promise<Page<RecordView>> {
  const { isActive, ...filters } = query.filters ?? {};
  if (isActive === undefined) return listRecords(db, 'endpoint', query);
  const take = takeOf(query);
  const items: RecordView[] = [];
  let cursor: string | null = query.cursor ?? null;
  do {
    const page: Page<RecordView> = await listRecords(db, 'endpoint', {
      filters,
      take: take - items.length,
      cursor: cursor ?? undefined,
    });
    items.push(...page.items.filter((endpoint) => endpoint['isActive'] === (isActive === 'true')));
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < take);
  return { items, nextCursor: cursor };
}
