import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${ROOT}docs/security.md`, 'utf8');
const tables = page.slice(page.indexOf('## Threats'), page.indexOf('## The receiver'));
const rows = tables.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat |'));

/** What the page says of a threat: the file, and the name of the test in it. */
function testOf(row: string): { file: string; name: string } | null {
  const [, , , held = ''] = row.split(' | ').length === 3 ? ['', ...row.split(' | ')] : [];
  const [, file = '', name = ''] = /^`(test\/[\w/.-]+\.test\.ts)`: (.+) \|$/.exec(held) ?? [];
  return file === '' ? null : { file, name };
}

/** A name as it stands in a source, whichever quotes it has there. */
function names(file: string): Set<string> {
  const text = existsSync(ROOT + file) ? readFileSync(ROOT + file, 'utf8') : '';
  const found = text.matchAll(
    /\b(?:test|it)\b(?:\.\w+)*(?:<[^>]*>)?\(\s*'((?:[^'\\]|\\.)+)'|^ *\]?\)?\)\(\s*'((?:[^'\\]|\\.)+)'/gm,
  );
  return new Set([...found].map(([, first, second]) => (first ?? second ?? '').replace(/\\(.)/g, '$1')));
}

test('every threat names what stops it, and a test that is there', () => {
  expect(rows.length).toBeGreaterThan(40);
  const missing = rows.filter((row) => {
    const held = testOf(row);
    return held === null || !names(held.file).has(held.name);
  });
  expect(missing).toEqual([]);
});

test('a test that is not there is missed', () => {
  expect(testOf('| a | b | c |')).toBeNull();
  expect(testOf('| a | b | `test/cli.test.ts`: no such name |')).toEqual({
    file: 'test/cli.test.ts',
    name: 'no such name',
  });
  expect(names('test/security/threats.test.ts')).toContain('a test that is not there is missed');
  expect(names('test/nothing.test.ts').size).toBe(0);
});

test('every file of these tests holds a threat of the page', () => {
  const held = new Set(rows.map((row) => testOf(row)?.file));
  for (const file of [
    'injection',
    'outbound-address',
    'patterns',
    'plain-text',
    'private-port',
    'public-port',
    'secret-comparisons',
    'secrets-nowhere',
    'what-is-shipped',
  ]) {
    expect(held).toContain(`test/security/${file}.test.ts`);
  }
});
