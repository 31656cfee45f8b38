import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readDocument } from './documents.js';

const LONG = /\.long\.test\.ts$/;

/** Of the table of what `npm test` leaves out: the tests that hold the same there, and those that are left out. */
const rows = readDocument('docs/reliability.md')
  .text.split('\n')
  .filter((line) => /^\| .*`test\/\S+\.long\.test\.ts`/.test(line))
  .map((line) => {
    const [short = '', long = ''] = line.split(' | ').slice(1);
    const filesIn = (cell: string) => [...cell.matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, file = '']) => file);
    return { line, short: filesIn(short), long: filesIn(long) };
  });

test('each test that is left out of npm test stands once in docs/reliability.md', () => {
  const there = readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => LONG.test(file))
    .map((file) => path.join('test', file));
  expect(rows.flatMap(({ long }) => long).toSorted()).toEqual(there.toSorted());
});

test('with one beside it that npm test plays', () => {
  const holds = (file: string) => !LONG.test(file) && existsSync(path.join(ROOT, file));
  expect(rows.filter(({ short }) => short.length === 0 || !short.every(holds)).map(({ line }) => line)).toEqual([]);
});
