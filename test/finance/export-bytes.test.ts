import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { chartSchema } from '../../src/domain/books/chart.js';
import type { ExportFormat } from '../../src/finance/export-formats.js';
import { getEntry } from '../../src/records/books/list-entries.js';
import { useDatabase } from '../support/database.js';
import { exportsOf } from '../support/exported-books.js';
import { useFolder } from '../support/folder.js';
import { unmarked } from '../support/month-files.js';

/** Of three lines each, so that an entry stands across the parts in which they are read. */
const ENTRIES = 1_500;

/** Texts of others as they could be; the last three hold what the database can't hold. */
const TEXTS = [
  'plain',
  '=1+1',
  ' \t@sum',
  'a,b',
  'q"q',
  'two\r\nlines',
  '-2',
  '; | \\ x',
  'ü€😀\u00A0\u200B',
  '\u001F\u0001',
  'null\0',
  'lone\uD800',
  '\uFFFF',
];

const database = useDatabase();
const dir = useFolder();
const { write } = exportsOf(database, dir);

beforeAll(async () => {
  await database.db.transaction(async (trx) => {
    // Past the rules of posting: what is pinned is how rows are written, whatever they are.
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(
      `INSERT INTO entries (record_kind, record_id, key, version, type, reverses, corrects, month, date, at, day, dated_by, adjusts,
                            description, sources, observed, written, posted_at)
       SELECT (ARRAY['payment_intent', 'payin', 'payout'])[1 + n % 3], texts[1 + n % 13] || n, texts[1 + n / 13 % 13], 1 + n % 4,
              (ARRAY['entry', 'reversal', 'change'])[1 + n % 3], CASE WHEN n % 3 = 1 THEN n END, CASE WHEN n % 3 > 0 THEN 7 END,
              '2026-03', date '2026-03-01' + n % 31, timestamptz '2026-03-01T00:00:00.5Z' + n * interval '7.0011 seconds',
              date '2026-03-01', 'created', CASE WHEN n % 5 = 0 THEN '2026-01' END, texts[1 + n / 7 % 10],
              CASE WHEN n % 4 = 0 THEN '[]' ELSE jsonb_build_array(
                jsonb_build_object('kind', 'payin', 'id', texts[1 + n / 3 % 13]), jsonb_build_object('id', n::text, 'kind', 'payout')) END,
              CASE WHEN n % 6 > 0 THEN jsonb_build_object('type', 'poll', 'ref', texts[1 + n / 5 % 10], 'at', '2026-03-02T00:00:00.000Z') END,
              n, '2026-03-31T23:59:59.999Z'
       FROM generate_series(1, ?::integer) AS n, (SELECT ?::text[] AS texts) AS given ORDER BY n`,
      [ENTRIES, TEXTS],
    );
    await trx.raw(
      `INSERT INTO entry_lines (entry_id, line, account, asset_code, amount, memo)
       SELECT id, line, (ARRAY['assets:operating', 'income:payments', 'expenses:fees:service'])[line],
              (texts || '{BTC,USDT.TRON}')[1 + (id + line) % 15],
              (ARRAY['12.50', '-123456789012345678.000000000000000001', '-0.10', '7', '-5'])[1 + (id * line) % 5]::numeric, id % 9 = 0
       FROM entries, generate_series(1, 3) AS line, (SELECT ?::text[] AS texts) AS given`,
      [TEXTS],
    );
    await trx.raw(
      `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at, reason)
       SELECT entry_id, asset_code, CASE WHEN entry_id % 8 = 0 THEN 'EUR' ELSE 'USD' END, CASE WHEN known THEN worth END,
              CASE WHEN known THEN 'service' END, CASE WHEN known THEN timestamptz '2026-03-01T10:00:00.1Z' END,
              CASE WHEN NOT known THEN texts[1 + entry_id % 10] END
       FROM entry_lines, (SELECT ?::text[] AS texts) AS given, (VALUES (1.10, 4), (0.000000000000000003, 7)) AS of (worth, every),
            LATERAL (SELECT entry_id % every > 0 AS known) AS rated
       WHERE line < 3 ORDER BY entry_id, line, worth DESC`,
      [TEXTS],
    );
    // What the triggers would have kept.
    await trx.raw(`
      INSERT INTO account_months (account, asset_code, month, amount, lines)
      SELECT account, asset_code, month, sum(amount), count(*) FROM entry_lines JOIN entries ON entries.id = entry_id WHERE NOT memo
      GROUP BY account, asset_code, month`);
    await trx.raw(`
      INSERT INTO account_values (account, asset_code, month, currency, value, lines)
      SELECT account, asset_code, month, currency, sum(amount * rate), count(*) FROM entry_lines JOIN entries ON entries.id = entry_id
      JOIN (SELECT DISTINCT ON (entry_id, asset_code) * FROM entry_rates ORDER BY entry_id, asset_code, id DESC) AS valued
        USING (entry_id, asset_code)
      WHERE NOT memo AND rate IS NOT NULL GROUP BY account, asset_code, month, currency`);
  });
}, 60_000);

/** SHA-256 of each file that has rows, but for the month's state: an open month may not be written otherwise than a closed one was. */
const PINNED: Record<ExportFormat, Record<string, string>> = {
  csv: {
    '2026-03-entries.csv': '6fac531075d05a31f1946d687174b4b891d14eaa1f90102079ef19be409d3f7c',
    '2026-03-accounts.csv': '4ebd576f7cd68c756bf3484029bb219394aa0b3ff595edbb4033b8c74ca759b6',
    '2026-03-values.csv': '4f895993a99b27e6f1ce13ca5914add91ca3004fd33a7be0c3a0ed1b222d440c',
    '2026-03-payments.csv': 'f192b11ade04dd5c80ac4bfbbf393b1ae073c360dfddf8342fb485b84c02ebb3',
    '2026-03-fees.csv': '2e3c807480083ab0bcc42b759c164f165822b341e42a1b8a963e585cfaaa751a',
    '2026-03-payouts.csv': '0b591f8b8e00eb6799bb1ceb97b957686866a5ade35dd9c1e0b51e3a97819be5',
  },
  ndjson: {
    '2026-03-entries.ndjson': '2504007c065be8b9c2bd1e92db269112c6fb3d408628829f52f432e125fbc986',
    '2026-03-accounts.ndjson': '5c18ee9be02692eed52c3eca4b89f860921d18fddf957103a5af124f0653dfd1',
    '2026-03-values.ndjson': 'f690e223a0e50164e9b3b821049a09bccfcdebb8c1bde6a870d869cf96cbee00',
    '2026-03-payments.ndjson': '37b25a4fa75fde2585db9a76416ec98de6361bfe1ac32aad0f1784e0de2384bf',
    '2026-03-fees.ndjson': 'b99fd668ff17acc177ddc0f1a048ef6ccd3b822177bc7cb07aa7a22bbdf21a42',
    '2026-03-payouts.ndjson': '1110955f3e5fd6465ee40abf3faac7eb893859f55df7aa43306a763009080db6',
  },
  xlsx: {
    '2026-03.xlsx': 'ac90679711e91bee5544dcf4359e3cbf54ec3103a83b4cd4fedecf7ce1669bb0',
  },
  hledger: {
    '2026-03-activity.journal': '2901d06712ca852d691a0b546b30ee83e7500c1a2f7b4ce65261aa97e3d352ff',
    '2026-03.journal': 'a6ab6c6137155aa3ff757656e753644873c46728c4b4bbdb25538b20bafce64a',
  },
  journal: { '2026-03-journal.csv': '272d0bb32964e93c9f5a418676ff67b97084c39a5dc10a3426f159c0ea33b5e3' },
  datev: { 'EXTF_2026-03.csv': '40838d829f1f75c42aa68742948cb8cbf33d3ca58ca89fbc40134d3fd2caaf1f' },
  beancount: {
    '2026-03-activity.beancount': 'f70f57e7c82025ef855dc1c06a6a2cc5cf253eeb15af6d848b1ca9aec4ecf189',
    '2026-03.beancount': 'd14854fe11f8b872b6fbccbcad412a1a9c80414675f636d7774d8e223b104995',
  },
};

const chart = chartSchema.parse({ datev: { consultant: 1001, client: 1, other: '1590' } });

/** Of all but what the file says of the month's state. */
async function hashOfRest(name: string): Promise<string> {
  const text = await readFile(path.join(dir, name), 'utf8');
  return hash('sha256', unmarked(name, text), 'hex');
}

it.each(Object.keys(PINNED) as ExportFormat[])(
  'writes the same bytes as ever: %s',
  async (format) => {
    const { files } = await write('2026-03', format, chart);
    const written = await Promise.all(
      files.map(async ({ name, sha256 }) => [name, name.endsWith('.xlsx') ? sha256 : await hashOfRest(name)]),
    );
    const meant =
      'files have other bytes than before; if that is meant: the new hash into PINNED, a line into CHANGELOG.md';
    expect(Object.fromEntries(written), meant).toMatchObject(PINNED[format]);
  },
  60_000,
);

it('holds in ndjson what the read API says of each entry, with what its lines were worth', async () => {
  const written = await readFile(path.join(dir, '2026-03-entries.ndjson'), 'utf8');
  const entries = written.trimEnd().split('\n');
  expect(entries).toHaveLength(ENTRIES);
  // A prime, so that texts of every kind are among them.
  for (const [n, line] of entries.entries()) {
    if (n % 11 > 0) continue;
    const { lines, monthStatus, ...entry } = JSON.parse(line);
    expect(monthStatus).toBe('open');
    // A file has the rates that count; which others an entry had before is told by the API.
    const {
      lines: shown,
      revaluations,
      ...about
    } = (await getEntry(database.db, entry.id)) ?? {
      lines: [],
      revaluations: [],
    };
    for (const { assetCode, rate } of revaluations)
      expect(shown.filter((line) => line.assetCode === assetCode).map((line) => line.rate)).toContain(rate);
    expect(entry).toEqual(about);
    expect(lines).toMatchObject(shown);
    expect(lines).toHaveLength(shown.length);
    for (const { name, account, value, rate } of lines) {
      expect(name).toBe(account);
      expect(value === null).toBe(rate === null);
    }
  }
}, 60_000);
