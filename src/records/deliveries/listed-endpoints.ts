import type { Knex } from 'knex';
import type { BreakKind } from '../../domain/breaks/breaks.js';
import type { ListedEndpoint } from '../../domain/deliveries/endpoint-rules.js';
import { type Json, type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { momentOf } from '../../domain/service-time.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import type { BreakRef } from '../breaks/breaks.js';
import { type Page, type PageQuery, takeOf } from '../database/paging.js';
import { rowsOf } from '../database/statements.js';
import { listRecords } from '../rows.js';

export interface KnownEndpoint extends ListedEndpoint {
  /** ms of the service's clock. */
  createdAt: number | null;
  /** The service lists it no more: it was deleted. */
  gone: boolean;
}

/** Webhook endpoints as they were read last, by id. */
export async function endpointsById(db: Knex, ids: readonly string[]): Promise<Map<string, KnownEndpoint>> {
  const rows = await rowsOf<{ id: string; shown: string; gone: boolean }>(db)`
    SELECT id, shown, absent_since IS NOT NULL AS gone FROM endpoints WHERE id = ANY (${ids}::text[])`;
  return new Map(rows.map(({ id, shown, gone }) => [id, { ...storedEndpoint(id, shown), gone }]));
}

/** As the service showed it last. */
export function storedEndpoint(id: string, shown: string): Omit<KnownEndpoint, 'gone'> {
  const fields = objectFromJsonText(shown);
  return { ...readEndpoint(id, fields), createdAt: momentOf(fields['createdAt']) };
}

export function readEndpoint(id: string, fields: JsonObject): ListedEndpoint {
  const { events = null, isActive } = fields;
  return {
    id,
    url: textField(fields, 'url'),
    events: isTexts(events) ? events : null,
    isActive: typeof isActive === 'boolean' ? isActive : null,
  };
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Endpoints as records, with one filter more: `isActive`, `true` or `false`. It has no column; an account has so few
 * endpoints that they are searched. Throws `CursorError`.
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

const KINDS: readonly BreakKind[] = ['endpoint_inactive', 'endpoint_unsubscribed'];

/** The open breaks of endpoints that the newest poll of all of them does not find any more. */
export async function resolvableEndpointBreaks(db: Knex, found: readonly BreakRef[]): Promise<BreakRef[]> {
  const open = await rowsOf<{ kind: BreakKind; id: string }>(db)`
    SELECT kind, entity_id AS id FROM breaks WHERE kind = ANY (${KINDS}::text[]) AND status IN ('open', 'acknowledged')`;
  return open
    .filter(({ kind, id }) => !found.some((one) => one.kind === kind && one.entity.id === id))
    .map(({ kind, id }) => ({ kind, entity: { kind: 'endpoint', id } }));
}
