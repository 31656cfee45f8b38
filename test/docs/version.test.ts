import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { version, versionText } from '../../src/version.js';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('the version is that of the newest heading of CHANGELOG.md, in package.json, its lock and the metrics', async () => {
  const [, newest, when] = /^## (\S+) \(([^)]+)\)$/m.exec(read('CHANGELOG.md')) ?? [];
  expect(newest).toBe(version);
  expect(when).toMatch(/^(unreleased|\d{4}-\d\d-\d\d)$/);
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } });
  expect(await createMetrics().registry.metrics()).toContain(`tallyhook_build_info{version="${version}"} 1`);
  expect(versionText.startsWith(version)).toBe(true);
});
