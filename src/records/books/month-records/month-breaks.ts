import type { Knex } from 'knex';
import { type MonthQuery, type MonthRow, monthRows, utc } from './month-query.js';

/** Breaks that nobody has closed, whatever month they are of. What was found is not here: it may tell of persons. */
export function monthBreaks(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, BREAKS, about);
}

const BREAKS = `
  SELECT id::text AS id, severity, kind, entity_kind AS "entityKind", entity_id AS entity, status, ${utc('opened_at')} AS "openedAt"
  FROM breaks WHERE status IN ('open', 'acknowledged')
  ORDER BY array_position(ARRAY['critical', 'high', 'medium', 'low'], severity), id`;
