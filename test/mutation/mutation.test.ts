import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mutantsOf } from './mutants.js';
import { filesUnder, testChooser } from './reach.js';
import { readSurvivors, survivorRow } from './results.js';
import { MOST_NAMED, targets, testsNamedFor } from './targets.js';

test('types, words for people and log lines are let be; each other change is named by where it is', () => {
  const source = [
    `import type { A } from './a.js';`,
    `interface B { kind: 'b' }`,
    `export function run(a: A<'x'>, log: Log) {`,
    `  log.info({ n: 1 }, 'started');`,
    `  if (!a) throw new Error('there is none');`,
    `  return a?.b ?? ['c' as 'c'];`,
    `}`,
  ].join('\n');
  expect(mutantsOf(source).map(({ line, name }) => `${line} ${name.slice('run: '.length)}`)).toEqual([
    `3 tion run(a: A<'x'>, log: Log) [{ log.info({ n: 1 }, 'started'); if (!a) thro … ?.b ?? ['c' as 'c']; } → {}]`,
    `5 if ([!a → true]) throw new Error('there is no`,
    `5 if ([!a → false]) throw new Error('there is no`,
    `5 if ([!a → (a)]) throw new Error('there is no`,
    `6 return [a?.b ?? ['c' as 'c'] → undefined];`,
    `6 return [a?.b ?? ['c' as 'c'] → (a?.b)];`,
    `6 return a[?. → .]b ?? ['c' as 'c'];`,
    `6 return a?.b ?? [['c' as 'c'] → []];`,
    `6 return a?.b ?? [['c' → ''] as 'c'];`,
  ]);
});

test('a row of the list is read as it is written', () => {
  const row = { module: 'src/a.ts', name: 'f: a [|| → &&] b', reason: 'both are `true` | always' };
  const folder = mkdtempSync(path.join(tmpdir(), 'tallyhook-mutation-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'rows.md');
  writeFileSync(file, `| module | mutant | reason |\n|---|---|---|\n${survivorRow(row)}\n`);
  expect(readSurvivors(file)).toEqual([row]);
});

test('each target is there, and all of the domain is a part of one, but for the tables that define a kind or a view', () => {
  const played = new Set(targets.flatMap(({ places }) => places.flatMap(filesUnder)));
  expect([...played].filter((file) => !existsSync(file))).toEqual([]);
  const left = filesUnder('src/domain').filter((file) => !played.has(file));
  const tables = ['src/domain/kinds', 'src/domain/views'];
  expect(left.filter((file) => !tables.includes(path.dirname(file)))).toEqual([]);
});

test('the tests that a target names are played where they reach the module, a few and no more', () => {
  const named = targets.flatMap(({ tests }) => tests ?? []);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
  expect(Math.max(...targets.map(({ tests = [] }) => tests.length))).toBeLessThanOrEqual(MOST_NAMED);
  const choose = testChooser(['src', 'test'], 20);
  const steps = 'src/webhook/steps.ts';
  expect(choose(steps).database).toBe(false);
  const { files, database } = choose(steps, testsNamedFor(steps));
  expect(files).toEqual(expect.arrayContaining([...choose(steps).files, 'test/webhook/receiver.test.ts']));
  expect([new Set(files).size, database]).toEqual([files.length, true]);
  expect(choose(steps, ['test/deploy/metrics.test.ts'])).toEqual(choose(steps));
  const condition = 'src/domain/alerts/condition.ts';
  expect(choose(condition, testsNamedFor(condition)).files).toContain('test/deploy/metrics.test.ts');
});
