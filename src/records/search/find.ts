import type { Knex } from 'knex';
import { grouped } from '../../domain/grouped.js';
import { objectFromJsonText } from '../../domain/json.js';
import { reasonWords } from '../../domain/orders/reason-words.js';
import { hidePeople } from '../../domain/personal.js';
import { type RecordKind, recordKinds, snakeCase } from '../../domain/records.js';
import { keyedValues, readQuestion, searchedFields, searchForm, writtenForms } from '../../domain/search.js';
import type { Found } from '../../domain/views/find-shapes.js';
import { keyText } from '../database/database-text.js';
import { isRowId } from '../database/paging.js';
import { joined, raw, rowsOf, type Sql, sql } from '../database/statements.js';
import { orderedKinds, relatedOrders } from '../family/shown-records.js';
import { type OrderState, releaseOf } from '../order-row.js';
import { recordTables } from '../record-columns.js';
import { historyReadAt } from '../runs/coverage.js';
import { searchKeys } from './search-keys.js';

type Item = Found['items'][number];
type Hit = Omit<Item, 'orders'>;

const MOST = 50;
const MOST_ORDERS = 5;
const SHORTEST_BEGINNING = 4;
/** Where a database sorts as a language does, others stand between those that begin so. */
const NEAR = 200;
/** Records that are looked at by a key, of which reports alone may have made most. */
const MOST_KEYED = 5_000;

/**
 * Whatever has the text as its id, or in a field that is searched, or begins so. `knowsPeople`: may know who the customers are;
 * nobody else finds anything by a value that is hidden from them.
 */
export async function find(db: Knex, given: string, { knowsPeople }: { knowsPeople: boolean }): Promise<Found> {
  const searched = readQuestion(given).filter((text) => keyText(text) !== null);
  const deliveriesReadAt = (await historyReadAt(db))?.toISOString() ?? null;
  if (searched.length === 0) return { searched, items: [], orders: [], deliveriesReadAt, more: false };
  const [byColumn, byKey] = await Promise.all([hitsByColumn(db, searched), hitsByKey(db, searched, knowsPeople)]);
  const sorted = [...byColumn, ...byKey].sort((a, b) => Number(b.exact) - Number(a.exact));
  const hits = [...grouped(sorted, ({ kind, id }) => `${kind} ${id}`).values()].flatMap(([first]) => first ?? []);
  const items = await withOrders(db, hits.slice(0, MOST));
  const references = [...new Set(items.flatMap(({ orders }) => orders))].slice(0, MOST_ORDERS);
  const orders = await ordersOf(db, references);
  return { searched, items, orders, deliveriesReadAt, more: hits.length > MOST };
}

interface Place {
  kind: Hit['kind'];
  table: string;
  id: string;
  column: string;
  by: string;
  /** Narrows the rows that are found by a text. */
  where?: string;
}

/** Every column with an index that somebody may have a value of. */
const places: readonly Place[] = [
  { kind: 'order', table: 'orders', id: 'reference', column: 'reference', by: 'reference' },
  ...recordKinds.flatMap((kind) =>
    ['id', ...searchedFields(kind).columns].map((field) => {
      return { kind, table: recordTables[kind], id: 'id', column: snakeCase(field), by: field };
    }),
  ),
  { kind: 'delivery', table: 'deliveries', id: 'id', column: 'id', by: 'id' },
  { kind: 'event', table: 'inbox', id: 'id::text', column: 'key', by: 'eventId', where: `AND key_type = 'id'` },
];

async function hitsByColumn(db: Knex, searched: readonly string[]): Promise<Hit[]> {
  const forms = [...new Set(searched.flatMap(writtenForms))];
  const beginning = searched.at(-1) ?? '';
  const rows = searched.filter(isRowId);
  const parts = [
    ...places.map((place) => exactly(place, forms)),
    ...(rows.length === 0
      ? []
      : [
          sql`SELECT 'event' AS kind, id::text, 'id' AS by, true AS exact FROM inbox WHERE id = ANY (${rows}::bigint[])`,
        ]),
    ...(beginning.length < SHORTEST_BEGINNING ? [] : places.map((place) => beginningWith(place, beginning))),
  ];
  return rowsOf<Hit>(db)`${joined(parts, ' UNION ALL ')}`;
}

function exactly({ kind, table, id, column, by, where = '' }: Place, forms: readonly string[]): Sql {
  return sql`(SELECT ${raw(`'${kind}' AS kind, ${id} AS id, '${by}' AS by`)}, true AS exact FROM ${raw(table)}
    WHERE ${raw(column)} = ANY (${forms}::text[]) ${raw(where)} LIMIT ${MOST + 1})`;
}

function beginningWith({ kind, table, id, column, by, where = '' }: Place, beginning: string): Sql {
  return sql`(SELECT ${raw(`'${kind}' AS kind, own AS id, '${by}' AS by`)}, false AS exact FROM (
      SELECT ${raw(`${id} AS own, ${column} AS value`)} FROM ${raw(table)}
      WHERE ${raw(column)} >= ${beginning} ${raw(where)} ORDER BY ${raw(column)} LIMIT ${NEAR}) AS near
    WHERE starts_with(value, ${beginning}) LIMIT ${MOST + 1})`;
}

/** A key says only where to look: the value decides. What the service shows comes before what only webhooks report. */
async function hitsByKey(db: Knex, searched: readonly string[], knowsPeople: boolean): Promise<Hit[]> {
  const forms = [...new Set(searched.map(searchForm))];
  const keys = await searchKeys(db, forms);
  const named = await rowsOf<{ kind: RecordKind; id: string }>(db)`
    SELECT kind, id FROM search_keys WHERE key = ANY (${keys}::bigint[]) LIMIT ${MOST_KEYED}`;
  const hits = await Promise.all(
    [...grouped(named, ({ kind }) => kind)].map(async ([kind, rows]) => {
      const ids = rows.map(({ id }) => id);
      const records = await rowsOf<{ id: string; shown: string; reported: string | null; known: boolean }>(db)`
        SELECT id, shown, reported, known FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[])
        ORDER BY known DESC, absent_since IS NOT NULL, created_at DESC, id LIMIT ${NEAR}`;
      return records.flatMap(({ id, shown, reported, known }) => {
        const seen = (text: string) =>
          knowsPeople ? objectFromJsonText(text) : hidePeople(kind, objectFromJsonText(text));
        const values = keyedValues(kind, seen(shown), reported === null ? null : seen(reported));
        const by = forms.map((form) => values.get(form)).find((field) => field !== undefined);
        return by === undefined ? [] : [{ known, hit: { kind, id, by, exact: true } }];
      });
    }),
  );
  const sorted = hits.flat().sort((a, b) => Number(b.known) - Number(a.known));
  return sorted.map(({ hit }) => hit);
}

async function withOrders(db: Knex, hits: readonly Hit[]): Promise<Item[]> {
  const byKind = grouped(hits, ({ kind }) => kind);
  const found = new Map<string, string[]>();
  await Promise.all(
    orderedKinds.map(async (kind) => {
      const ids = (byKind.get(kind) ?? []).map(({ id }) => id);
      for (const [id, references] of await relatedOrders(db, kind, ids)) found.set(`${kind} ${id}`, references);
    }),
  );
  return hits.map((hit) => {
    return { ...hit, orders: hit.kind === 'order' ? [hit.id] : (found.get(`${hit.kind} ${hit.id}`) ?? []) };
  });
}

/** Whether its goods go out is what was decided of it, in the words of that reason. */
async function ordersOf(db: Knex, references: readonly string[]): Promise<Found['orders']> {
  if (references.length === 0) return [];
  const rows = await rowsOf<OrderState & { payins: string[]; deliveries: string[] }>(db)`
    SELECT orders.*,
      ARRAY(SELECT id FROM payins WHERE payment_intent_id = ANY (payment_intents)
            UNION SELECT payin_id FROM payin_listings JOIN payins ON payins.id = payin_id
              WHERE intent_id = ANY (payment_intents) ORDER BY 1 LIMIT ${MOST}) AS payins,
      ARRAY(SELECT id FROM deliveries WHERE payment_intent_id = ANY (payment_intents)
            ORDER BY created_at DESC NULLS FIRST, id DESC LIMIT 10) AS deliveries
    FROM unnest(${references}::text[]) WITH ORDINALITY AS named (reference, place) JOIN orders USING (reference) ORDER BY place`;
  return rows.map((row) => {
    const { reference, status, payment_intents: paymentIntents, payins, deliveries } = row;
    const release = releaseOf(row);
    return { reference, status, release, says: reasonWords(release.reason), paymentIntents, payins, deliveries };
  });
}
