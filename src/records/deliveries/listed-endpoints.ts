import type { Knex } from 'knex';
import type { ListedEndpoint } from '../../domain/deliveries/endpoint-rules.js';
import type { Json, JsonObject } from '../../domain/json.js';
import { objectFromJsonText } from '../../domain/json-text.js';
import { textField } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { instantMs } from '../database/instant.js';

export interface KnownEndpoint extends ListedEndpoint {
  /** ms of the service's clock. */
  createdAt: number | null;
  /** The service lists it no more: it was deleted. */
  gone: boolean;
}

/** Webhook endpoints as they were read last, by id. */
export async function endpointsById(db: Knex, ids: readonly string[]): Promise<Map<string, KnownEndpoint>> {
  const rows: { id: string; shown: string; absent_since: Date | null }[] = await db('endpoints')
    .select('id', 'shown', 'absent_since')
    .whereRaw('id = ANY (?::text[])', [textArray(ids)]);
  return new Map(
    rows.map((row) => {
      const fields = objectFromJsonText(row.shown);
      const createdAt = instantMs(textField(fields, 'createdAt') ?? undefined);
      return [row.id, { ...readEndpoint(row.id, fields), createdAt, gone: row.absent_since !== null }];
    }),
  );
}

/** Ids of the endpoints that the service listed when it was asked last. */
export async function listedEndpointIds(db: Knex): Promise<string[]> {
  return db('endpoints').whereNull('absent_since').pluck('id');
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
