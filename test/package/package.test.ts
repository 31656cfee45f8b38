import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const MOST_BYTES = 1_600_000;

test('the package holds the program, the settings and the documents, and neither sources nor tests', () => {
  const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [{ files, size }] = JSON.parse(said) as [{ files: { path: string }[]; size: number }];
  const names = files.map((file) => file.path);
  expect(names).toEqual(
    expect.arrayContaining([
      'README.md',
      'CHANGELOG.md',
      '.env.example',
      'docs/runbook.md',
      'deploy/prometheus/rules.yml',
    ]),
  );
  expect(names.filter((name) => /^(src|test|bench)\/|\.map$|^\.env$|dist\.new/.test(name))).toEqual([]);
  expect(size).toBeLessThan(MOST_BYTES);
  // Types of what nobody can import are left out; all that the entries lead to are there.
  const types = typesFrom(['dist/index.d.ts', 'dist/client.d.ts']);
  expect(types.size).toBeGreaterThan(20);
  expect([...types].filter((name) => !names.includes(name))).toEqual([]);
});

/** The files of types that these import, and those import. */
function typesFrom(entries: readonly string[]): Set<string> {
  const found = new Set(entries);
  for (const name of found) {
    const text = readFileSync(path.join(ROOT, name), 'utf8');
    for (const [, from = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g)) {
      found.add(path.posix.join(path.posix.dirname(name), `${from}.d.ts`));
    }
  }
  return found;
}
