import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableOf } from '../../src/domain/kinds/kinds.js';
import { recordKinds, recordRules } from '../../src/domain/records.js';
import { addedColumns } from '../../src/records/saving/show-again.js';

const FOLDER = path.join(import.meta.dirname, '../../migrations');
/** What was there before the first release is used by nobody else. */
const FIRST_RELEASE = '0041';
/** What takes something away that the version before still reads or writes. */
const TAKES_AWAY =
  /\b(DROP (TABLE|COLUMN|VIEW|FUNCTION)|RENAME|ALTER COLUMN \w+ (SET DATA )?TYPE|SET NOT NULL|(?<!OR )TRUNCATE)\b/i;
const SAYS_SINCE_WHEN = /^-- unused since \d+\.\d+\.\d+: .+/;

const names = readdirSync(FOLDER)
  .filter((name) => /^\d{4}_.*\.sql$/.test(name))
  .toSorted();

/** Of what a kind's definition calls a column, what these statements add to its table: `payins.txid`. */
function addedTo(sql: string): string[] {
  const altered = [...sql.matchAll(/^ALTER TABLE (\w+)([^;]*);/gm)];
  return recordKinds.flatMap((kind) =>
    recordRules[kind].columns.flatMap(({ field, name }) =>
      altered.some(([, table, what = '']) => table === tableOf(kind) && new RegExp(`ADD COLUMN ${name}\\b`).test(what))
        ? [`${kind} ${field}`]
        : [],
    ),
  );
}

function breaksTheRule(sql: string): boolean {
  return TAKES_AWAY.test(sql.replaceAll(/^\s*--.*$/gm, '')) && !SAYS_SINCE_WHEN.test(sql);
}

describe('a migration', () => {
  it('has a number of its own', () => {
    const numbers = names.map((name) => name.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('expands; what it takes away says in its first line since which version nobody uses it', () => {
    const later = names.filter((name) => name >= FIRST_RELEASE);
    expect(later.filter((name) => breaksTheRule(readFileSync(path.join(FOLDER, name), 'utf8')))).toEqual([]);
  });

  it('that adds the column of a field has it filled for the records that are there', () => {
    const added = names
      .filter((name) => name >= FIRST_RELEASE)
      .flatMap((name) => addedTo(readFileSync(path.join(FOLDER, name), 'utf8')));
    expect(added.length).toBeGreaterThan(1);
    const filled = addedColumns.map(({ kind, field }) => `${kind} ${field}`);
    const why =
      'fields that addedColumns of src/records/saving/show-again.ts lacks: their column stays empty where it was not written anew';
    expect(
      added.filter((field) => !filled.includes(field)),
      why,
    ).toEqual([]);
  });

  it.each([
    ['ALTER TABLE orders DROP COLUMN note', true],
    ['ALTER TABLE orders RENAME COLUMN a TO b', true],
    ['ALTER TABLE orders ALTER COLUMN a TYPE text', true],
    ['ALTER TABLE orders ALTER COLUMN a SET NOT NULL', true],
    ['TRUNCATE orders', true],
    ['CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON orders EXECUTE FUNCTION refuse_change()', false],
    ['-- DROP TABLE orders\nALTER TABLE orders ADD COLUMN note text', false],
    ['-- unused since 0.2.0: orders.note\nALTER TABLE orders DROP COLUMN note', false],
  ])('%s', (sql, breaks) => {
    expect(breaksTheRule(sql)).toBe(breaks);
  });
});
