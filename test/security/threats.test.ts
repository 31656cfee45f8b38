import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${ROOT}docs/security.md`, 'utf8');
const tables = page.slice(page.indexOf('## Threats'), page.indexOf('## The receiver'));
const rows = tables.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat |'));

interface Held {
  file: string;
  name: string;
}

/** What the page says of a threat: files, and the name of a test in each. */
function testsOf(row: string): Held[] {
  const [, , held = ''] = row.split(' | ');
  return held
    .replace(/ \|$/, '')
    .split(/; (?=`test\/)/)
    .flatMap((one) => {
      const [, file = '', name = ''] = /^`(test\/[\w/.-]+\.test\.ts)`: (.+)$/.exec(one) ?? [];
      return file === '' ? [] : [{ file, name }];
    });
}

/** Whether the name stands in the source as a text of its own, whichever quotes it has there. */
function isThere({ file, name }: Held): boolean {
  const text = existsSync(ROOT + file) ? readFileSync(ROOT + file, 'utf8') : '';
  const quoted = [`'${name.replaceAll("'", String.raw`\'`)}'`, `"${name}"`, `\`${name}\``];
  return quoted.some((one) => text.includes(one));
}

test('every threat names what stops it, and tests that are there', () => {
  expect(rows.length).toBeGreaterThan(40);
  const missing = rows.filter((row) => testsOf(row).length === 0 || !testsOf(row).every(isThere));
  const form =
    'rows of docs/security.md that name no test that is there: `test/FILE.test.ts`: its name; `test/FILE.test.ts`: another';
  expect(missing, form).toEqual([]);
});

test('a test that is not there is missed', () => {
  const [held] = testsOf('| a | b | `test/cli.test.ts`: no such name |');
  expect(testsOf('| a | b | c |')).toEqual([]);
  expect(held).toEqual({ file: 'test/cli.test.ts', name: 'no such name' });
  expect(isThere({ file: 'test/cli.test.ts', name: 'no such name' })).toBe(false);
  expect(isThere({ file: 'test/nothing.test.ts', name: 'x' })).toBe(false);
});

test('every file of these tests holds a threat of the page', () => {
  const held = new Set(rows.flatMap((row) => testsOf(row).map(({ file }) => file)));
  for (const file of [
    'audit-flood',
    'example-secrets',
    'injection',
    'outbound-address',
    'patterns',
    'plain-text',
    'private-port',
    'public-port',
    'sandbox-browser',
    'secret-comparisons',
    'secrets-nowhere.long',
    'sign-in-lockout',
    'sign-out',
    'what-is-shipped',
  ]) {
    expect(held).toContain(`test/security/${file}.test.ts`);
  }
});
