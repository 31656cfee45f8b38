import { execFileSync } from 'node:child_process';
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
});
