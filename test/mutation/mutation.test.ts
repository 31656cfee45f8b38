import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { mutantsOf } from './mutants.js';
import { type Result, readSurvivors, survivorRow } from './results.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tallyhook-mutation-'));
const results = path.join(folder, 'results.jsonl');
const survivors = path.join(folder, 'survivors.md');
afterAll(() => rmSync(folder, { recursive: true }));

const MODULE = 'test/mutation/planted/unguarded.ts';
const vanished = { module: MODULE, name: 'fee: gone [a → b]', reason: 'nobody knows' };

function play(): Promise<{ code: number; said: string }> {
  const files = ['--results', results, '--survivors', survivors];
  const args = ['test/mutation/run.mjs', 'main.ts', '--all', '--patience', '3000', ...files, 'test/mutation/planted'];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_error, out, errors) =>
      resolve({ code: child.exitCode ?? -1, said: out + errors }),
    );
  });
}

const read = (): Result[] =>
  readFileSync(results, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);

describe('planted modules', () => {
  let first: Awaited<ReturnType<typeof play>>;
  beforeAll(async () => {
    writeFileSync(survivors, survivorRow(vanished));
    first = await play();
  });

  it('says what survives where nobody looks, and nothing else', () => {
    const survived = read().filter(({ verdict }) => verdict === 'survived');
    expect(
      survived.map(({ module, name }) => [module, name.slice('fee: '.length)]),
      first.said,
    ).toEqual([
      [MODULE, 'return [isLarge → false] ? amount - 1 : amount;'],
      [MODULE, 'return isLarge ? amount [- → +] 1 : amount;'],
      [MODULE, 'return isLarge ? amount - [1 → 2] : amount;'],
    ]);
    for (const one of survived)
      expect(first.said).toContain(`survived: ${one.module}:2\n${survivorRow({ ...one, reason: '' })}`);
    expect(first.code).toBe(1);
  });

  it('ends a mutant that never would', () => {
    const late = read().filter(({ verdict }) => verdict === 'timed out');
    expect(late.map(({ name }) => name)).toEqual(['sumTo: for (let i = 1; i <= most; i [+= → -=] 1) sum += i;']);
  });

  it('names what is listed and no survivor any more', () => {
    expect(first.said).toContain(`listed, and no survivor any more: ${survivorRow(vanished)}`);
  });

  it('plays nothing twice, and is content once each survivor is explained', async () => {
    const before = read();
    const explained = before.filter(({ verdict }) => verdict === 'survived');
    writeFileSync(survivors, explained.map((one) => survivorRow({ ...one, reason: 'planted' })).join('\n'));
    expect(await play()).toMatchObject({ code: 0, said: expect.not.stringContaining('test files') });
    expect(read()).toEqual(before);
  });
});

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
  const file = path.join(folder, 'rows.md');
  writeFileSync(file, `| module | mutant | reason |\n|---|---|---|\n${survivorRow(row)}\n`);
  expect(readSurvivors(file)).toEqual([row]);
});
