import type { Knex } from 'knex';
import { type FamilyKind, familyKinds, type ShownRecord } from '../../domain/family/links.js';
import { shownRecordOf } from '../../domain/family/said.js';
import { grouped } from '../../domain/grouped.js';
import { objectFromJsonText } from '../../domain/json.js';
import { textArray } from '../database/array-parameter.js';
import { prepared, raw, rowsOf } from '../database/statements.js';
import type { MergedRecord } from '../stored-record.js';

/** The records just saved, by kind and id: they need not be read back. */
export type RecordsInHand = ReadonlyMap<string, ShownRecord>;

export interface ShownRow {
  kind: FamilyKind;
  id: string;
  /** Null where the record is in hand. */
  shown: string | null;
  verified: boolean;
  verified_at: Date | null;
  absent_since: Date | null;
  known: boolean;
  doubted: boolean;
  own_call: string | null;
  says_paid: boolean;
}

/** What is selected of a record to be shown, besides its fields. */
export const STANDING = 'id, verified, verified_at, absent_since, known, doubted, own_call';

/** What a query of `loadShown` selects of a kind: one parameter, the ids in hand. */
export function shownColumns(kind: FamilyKind): string {
  const paid = kind === 'payment_intent' ? 'reported_paid' : 'false';
  return `'${kind}' AS kind, ${STANDING}, ${paid} AS says_paid,
    CASE WHEN id = ANY (?::text[]) THEN NULL ELSE shown END AS shown`;
}

export function recordsInHand(records: readonly MergedRecord[]): RecordsInHand {
  return new Map(records.map(({ kind, id, shown }) => [`${kind} ${id}`, shownRecordOf(id, shown)]));
}

/** Ids of a kind that are in hand, as a parameter. */
export function idsInHand(inHand: RecordsInHand, kind: FamilyKind): Buffer {
  const start = `${kind} `;
  return idTexts([...inHand.keys()].flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : [])));
}

export const idTexts = (ids: readonly string[]): Buffer => textArray(ids);

/** By kind, each once. */
export type ShownByKind = Record<FamilyKind, ShownRecord[]>;

/**
 * Whoever has records in hand saves them, and looks everything up by keys: there a plan does not hang on how full a table is,
 * and is made once.
 */
export function preparedInSave<Result>(
  trx: Knex,
  inHand: RecordsInHand,
  { name, sql }: { name: string; sql: string },
  parameters: Buffer[],
): Knex.Raw<Result> {
  return prepared(trx, inHand.size > 0 ? name : null, sql, parameters);
}

export async function loadShown(
  trx: Knex,
  inHand: RecordsInHand,
  { name, sql }: { name: string; sql: string },
  parameters: Buffer[],
): Promise<ShownByKind> {
  const { rows } = await preparedInSave<{ rows: ShownRow[] }>(trx, inHand, { name, sql }, parameters);
  const found: ShownByKind = { payment_intent: [], payin: [], invoice: [], payout: [] };
  for (const row of rows) found[row.kind].push(inHand.get(`${row.kind} ${row.id}`) ?? shownRecord(row));
  return found;
}

export function shownRecord(row: Omit<ShownRow, 'kind'>): ShownRecord {
  return {
    id: row.id,
    fields: objectFromJsonText(row.shown ?? '{}'),
    verified: row.verified,
    verifiedAt: row.verified_at?.getTime() ?? null,
    absent: row.absent_since !== null,
    unknown: !row.known,
    doubted: row.doubted,
    saysPaid: row.says_paid,
    ownCall: row.own_call,
  };
}

/** Kinds of record that can belong to an order. */
export const orderedKinds = familyKinds;
export type OrderedKind = FamilyKind;

/**
 * References of the orders that records belong to, by the record's id; one that is left out is linked with none. Read are
 * the views `family_links` and `payment_orders`, which say in SQL what domain/family/links.ts says.
 */
export async function relatedOrders(
  db: Knex,
  kind: OrderedKind,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const own = kind === 'invoice' ? 'UNION ALL SELECT id, merchant_reference FROM invoices' : '';
  const rows = await rowsOf<{ id: string; references: string[] }>(db)`
    SELECT named.id, array_agg(DISTINCT reference ORDER BY reference) AS "references" FROM (
      SELECT link.id, related.reference FROM family_links AS link CROSS JOIN LATERAL (
        SELECT reference FROM payment_orders WHERE payment_intent_id = link.payment_intent_id OFFSET 0) AS related
      WHERE kind = ${raw(`'${kind}'`)} ${raw(own)}) AS named
    JOIN orders USING (reference) WHERE named.id = ANY (${ids}::text[]) GROUP BY named.id ORDER BY named.id`;
  return new Map(rows.map(({ id, references }) => [id, references]));
}

export type Linked = Readonly<{ kind: OrderedKind; id: string }>;

/** A query of the payment intents (`intent`) that each of the records belongs to; `kinds`: the query hangs on them alone. */
export function linksOf(records: readonly Linked[]): { kinds: string; sql: string; values: Buffer[] } {
  const asked = [...grouped(records, ({ kind }) => kind)].sort(([a], [b]) => (a < b ? -1 : 1));
  const none = `SELECT NULL AS kind, NULL AS id, NULL AS intent WHERE false`;
  const parts = asked.map(
    ([kind]) => `SELECT kind, id, payment_intent_id AS intent FROM family_links
        WHERE kind = '${kind}' AND id = ANY (?::text[])`,
  );
  return {
    kinds: asked.map(([kind]) => kind).join(', '),
    sql: parts.length === 0 ? none : parts.join(' UNION ALL '),
    values: asked.map(([, some]) => textArray(some.map(({ id }) => id))),
  };
}

/** Ids of the payment intents that each of the records belongs to. `inSave`: as `preparedInSave` has it. */
export async function relatedPayments(
  db: Knex,
  records: readonly Linked[],
  { inSave = false } = {},
): Promise<(record: Linked) => string[]> {
  if (records.length === 0) return () => [];
  const { kinds, sql, values } = linksOf(records);
  type Found = { rows: { kind: OrderedKind; id: string; intent: string }[] };
  const { rows } = await prepared<Found>(db, inSave ? `payments of ${kinds}` : null, sql, values);
  const keyOf = ({ kind, id }: Linked): string => `${kind} ${id}`;
  const found = grouped(rows, ({ kind, id }) => keyOf({ kind, id }));
  return (record) => (found.get(keyOf(record)) ?? []).map(({ intent }) => intent);
}
