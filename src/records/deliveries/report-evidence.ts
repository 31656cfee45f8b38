import type { Knex } from 'knex';
import type { JsonObject } from '../../domain/json.js';
import type { JsonTable } from '../../domain/json-table/json-table.js';
import { MAX_DEPTH, readTable } from '../../domain/json-table/read-table.js';
import { rowsOf } from '../database/statements.js';
import { turnFor } from '../own-turn.js';

/** What an event says of itself, for whoever has to decide what to do about it. */
export interface ReportEvidence {
  eventType: string;
  key: string;
  /** Ids that it names, by the field that each stands in; a few of them. */
  names: JsonObject;
}

const AT_ONCE = 20;
/** A larger body is not read. */
const LARGEST_BODY = 262_144;
const FIELDS = ['id', 'merchantReference', 'paymentIntentId', 'payinId', 'invoiceId', 'payoutId', 'accountId'];
const LONGEST_ID = 200;

export async function evidenceOfReports(db: Knex, ids: readonly string[]): Promise<Map<string, ReportEvidence>> {
  const found = new Map<string, ReportEvidence>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const rows = await rowsOf<Omit<ReportEvidence, 'names'> & { id: string; body: string | null }>(db)`
      SELECT id, event_type AS "eventType", key,
             CASE WHEN octet_length(body) <= ${LARGEST_BODY} THEN convert_from(body, 'UTF8') END AS body
      FROM inbox WHERE id = ANY (${ids.slice(at, at + AT_ONCE)}::bigint[])`;
    for (const { id, body, ...event } of rows) {
      if (body !== null) await turnFor(body);
      found.set(id, { ...event, names: body === null ? {} : namesIn(readTable(body, MAX_DEPTH)) });
    }
  }
  return found;
}

function namesIn(envelope: JsonTable): JsonObject {
  const data = envelope.member(0, 'data');
  if (data === null) return {};
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const part = envelope.member(data, field, 'string');
      return part === null ? [] : [[field, envelope.textOf(part).slice(0, LONGEST_ID)]];
    }),
  );
}
