import type { Knex } from 'knex';
import type { Append } from '../../domain/books/plan-posting.js';
import type { Period } from '../../domain/books/posting-month.js';
import { booleanArray, integerArray, textArray } from '../database/array-parameter.js';
import { jsonbText } from '../database/database-text.js';
import type { ObservedBy } from './book-records.js';

/** An entry with its place in the books. */
export interface NewEntry extends Append {
  period: Period;
  /** Of its moment in the books' zone, YYYY-MM-DD. */
  day: string;
  observed: ObservedBy | null;
}

/** Appends them in the order given and returns their ids in that order. `written`: the place in the history of changes. */
export async function appendEntries(
  trx: Knex.Transaction,
  entries: readonly NewEntry[],
  written: string,
): Promise<string[]> {
  if (entries.length === 0) return [];
  const texts = (value: (entry: NewEntry) => string | null) => textArray(entries.map(value));
  const { rows } = await trx.raw<{ rows: { id: string; name: unknown[] }[] }>(
    `INSERT INTO entries (record_kind, record_id, key, version, type, reverses, corrects, month, date, day, at, dated_by,
                          adjusts, description, sources, observed, written)
     SELECT kind, record, key, version, type, reverses::bigint, corrects::bigint, month, date::date, day::date, at::timestamptz,
            dated_by, adjusts, description, sources::jsonb, observed::jsonb, ?::bigint
     FROM unnest(?::text[], ?::text[], ?::text[], ?::integer[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                 ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) WITH ORDINALITY
       AS new (kind, record, key, version, type, reverses, corrects, month, date, day, at, dated_by, adjusts,
               description, sources, observed, place)
     ORDER BY place
     RETURNING id, jsonb_build_array(record_kind, record_id, key, version) AS name`,
    [
      written,
      texts(({ recordKind }) => recordKind),
      texts(({ recordId }) => recordId),
      texts(({ key }) => key),
      integerArray(entries.map(({ version }) => version)),
      texts(({ type }) => type),
      texts(({ reverses }) => reverses),
      texts(({ corrects }) => corrects),
      texts(({ period }) => period.month),
      texts(({ period }) => period.date),
      texts(({ day }) => day),
      texts(({ dated }) => new Date(dated.at).toISOString()),
      texts(({ dated }) => dated.by),
      texts(({ period }) => period.adjusts),
      texts(({ description }) => description),
      texts(({ sources }) => jsonbText(sources.map(({ kind, id }) => ({ kind, id })))),
      texts(({ observed }) => (observed === null ? null : jsonbText(observed))),
    ],
  );
  const ids = new Map(rows.map(({ id, name }) => [JSON.stringify(name), id]));
  const inOrder = entries.map((entry) => ids.get(nameOf(entry)) ?? unreturned(entry));
  await appendLines(trx, entries, inOrder);
  return inOrder;
}

async function appendLines(trx: Knex.Transaction, entries: readonly NewEntry[], ids: readonly string[]): Promise<void> {
  const lines = entries.flatMap((entry, n) => entry.lines.map((line, place) => ({ ...line, place, id: ids[n] ?? '' })));
  await trx.raw(
    `INSERT INTO entry_lines (entry_id, line, account, asset_code, amount, memo)
     SELECT id::bigint, line, account, asset, amount::numeric, memo
     FROM unnest(?::text[], ?::integer[], ?::text[], ?::text[], ?::text[], ?::boolean[])
       AS new (id, line, account, asset, amount, memo)`,
    [
      textArray(lines.map(({ id }) => id)),
      integerArray(lines.map(({ place }) => place)),
      textArray(lines.map(({ account }) => account)),
      textArray(lines.map(({ assetCode }) => assetCode)),
      textArray(lines.map(({ amount }) => amount)),
      booleanArray(lines.map(({ memo }) => memo)),
    ],
  );
}

function nameOf({ recordKind, recordId, key, version }: Append): string {
  return JSON.stringify([recordKind, recordId, key, version]);
}

function unreturned(entry: Append): never {
  throw new Error(`the entry ${nameOf(entry)} was not returned`);
}
