import { exact, type Trx, utc } from '../database/statements.js';
import { SPANNED_LINES, spannedRates, spanOf } from './month-query.js';
import { csvPlain, csvText, jsonPlain, jsonText, linesOf, type TextForm } from './row-text.js';

/**
 * The entries of a month in the order of their posting: a line of csv for each of their lines, or of ndjson for each entry. What is
 * ours (kinds, accounts, numbers, times) has no character that would have to be escaped.
 * @param name SQL of what `account` is called
 * @param state how final the month is
 */
export async function* entryLines(
  trx: Trx,
  form: TextForm,
  { month, name, state }: { month: string; name: string; state: string },
): AsyncGenerator<string> {
  const sql = form === 'csv' ? csvOf(name, state) : ndjsonOf(name, state);
  yield* linesOf(trx, form, sql, { month, ...(await spanOf(trx, month)) });
}

/** Of an array of records, one of which is the usual case: what `text` makes of `one`, with something between. */
function ofSources(text: (one: string) => string, between: string): string {
  return `CASE jsonb_array_length(sources) WHEN 1 THEN ${text('(sources->0)')} ELSE coalesce(
    (SELECT string_agg(${text('one')}, '${between}') FROM jsonb_array_elements(sources) AS one), '') END`;
}

/** Values one after the other, with commas between. */
const cells = (...values: readonly string[]): string => values.join(" || ',' || ");

const SOURCES = ofSources((one) => `(${one}->>'kind') || ' ' || (${one}->>'id')`, '; ');

/** What stands in each line of an entry before its own. */
const ABOUT = cells(
  'id::text',
  'type',
  'month',
  'date::text',
  utc('at'),
  'dated_by',
  csvPlain('adjusts'),
  csvPlain('reverses::text'),
  csvPlain('corrects::text'),
  'record_kind',
  ...['record_id', 'key'].map(csvText),
  'version::text',
  ...['description', 'source', 'observer'].map(csvText),
  utc('posted_at'),
);

/** Rate, its currency, source and time. */
const RATE = cells(...[exact('rate'), 'currency', 'source', utc('rate_at')].map(csvPlain));

function csvOf(name: string, state: string): string {
  const line = cells(
    'about',
    cells(
      'n::text',
      'account',
      name,
      csvText('asset_code'),
      exact('amount'),
      "CASE WHEN memo THEN 'yes' ELSE 'no' END",
    ),
    cells("coalesce(rated, ',,,')", csvPlain(exact('amount * rate')), csvPlain('unpriced')),
  );
  return `
  SELECT ${line} || E',${state}\\r\\n' AS line
  FROM (
    SELECT id, ${ABOUT} AS about FROM (
      SELECT *, ${SOURCES} AS source, (observed->>'type') || ' ' || (observed->>'ref') AS observer
      FROM entries WHERE month = :month ORDER BY id OFFSET 0
    ) AS entries ORDER BY id OFFSET 0
  ) AS entries JOIN (
    SELECT *, row_number() OVER (PARTITION BY entry_id ORDER BY line) AS n FROM ${SPANNED_LINES}
  ) AS entry_lines ON entries.id = entry_id
    LEFT JOIN ${spannedRates(`rate, ${RATE} AS rated, ${csvText('reason')} AS unpriced`)} USING (entry_id, asset_code)
  ORDER BY entry_id, entry_lines.line`;
}

/** The names of an object and the SQL of what each is. */
function objectOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value], n) => `'${n === 0 ? '' : ','}"${key}":' || ${value}`)
    .join(' || ');
}

/** A string that needs no escapes. */
const plain = (expression: string): string => `'"' || ${expression} || '"'`;

const ENTRY = objectOf({
  id: plain('id'),
  recordKind: plain('record_kind'),
  recordId: jsonText('record_id'),
  key: jsonText('key'),
  version: 'version',
  type: plain('type'),
  reverses: jsonPlain('reverses'),
  corrects: jsonPlain('corrects'),
  month: plain('month'),
  date: plain('date'),
  at: plain(utc('at')),
  datedBy: plain('dated_by'),
  adjusts: jsonPlain('adjusts'),
  description: jsonText('description'),
  sources: `'[' || ${ofSources((one) => `concat('{"kind":', ${one}->'kind', ',"id":', ${one}->'id', '}')`, ',')} || ']'`,
  observedBy: `CASE WHEN observed IS NULL THEN 'null'
    ELSE concat('{"at":', observed->'at', ',"ref":', observed->'ref', ',"type":', observed->'type', '}') END`,
  postedAt: plain(utc('posted_at')),
});

const RATED = objectOf({
  rate: jsonPlain(exact('rate')),
  rateCurrency: jsonText('currency'),
  rateSource: jsonPlain('source'),
  rateAt: jsonPlain(utc('rate_at')),
  unpriced: jsonText('reason'),
});

const UNRATED = objectOf(
  Object.fromEntries(['rate', 'rateCurrency', 'rateSource', 'rateAt', 'unpriced'].map((key) => [key, "'null'"])),
);

function ndjsonOf(name: string, state: string): string {
  const line = objectOf({
    account: plain('account'),
    assetCode: jsonText('asset_code'),
    amount: plain(exact('amount')),
    memo: "CASE WHEN memo THEN 'true' ELSE 'false' END",
  });
  const end = objectOf({ name: plain(name), value: jsonPlain(exact('amount * rate')) });
  return `
  SELECT ('{' || ${ENTRY} || ',"lines":[' || lines || E'],"monthStatus":"${state}"}\\n')::varchar AS line
  FROM entries JOIN (
    SELECT entry_id, string_agg('{' || ${line} || ',' || coalesce(rated, ${UNRATED}) || ',' || ${end} || '}', ',' ORDER BY line) AS lines
    FROM ${SPANNED_LINES} LEFT JOIN ${spannedRates(`rate, ${RATED} AS rated`)} USING (entry_id, asset_code)
    GROUP BY entry_id
  ) AS entry_lines ON entries.id = entry_id
  WHERE month = :month ORDER BY entry_id`;
}
