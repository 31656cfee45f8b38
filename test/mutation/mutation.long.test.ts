import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlayer } from './player.js';
import { type Result, survivorRow } from './results.js';

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

  it('says what survives where nobody checks, and nothing else', () => {
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

it('a mutant that ends its process by a signal is noticed, and the next one is played', async () => {
  const player = createPlayer(false);
  const order = { module: 'test/mutation/planted/guarded.ts', files: ['test/mutation/planted/guarded.test.ts'] };
  const change = { start: 0, end: 0, replacement: "process.kill(process.pid, 'SIGKILL');" };
  expect(await player.play({ ...order, change }, 60_000)).toBe('late');
  expect(await player.play({ ...order, change: null }, 60_000)).toMatchObject({ failed: null });
  await player.close();
});
