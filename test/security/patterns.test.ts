import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { maskText } from '../../src/domain/personal.js';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
/** Rooms that nobody outside reaches: their texts are ours, or those of who runs the command. */
const OURS = /^(sandbox|cli|config|embedded-postgres|demo)\b/;
/** Patterns for our own settings. */
const OF_SETTINGS = new Set(['webhook/redis-connection.ts', 'domain/events/event-key.ts', 'service-api/contract.ts']);
/** Slow for long texts, and given none: digits of amounts that were checked, addresses of endpoints of our own. */
const BOUNDED = new Set([
  'domain/money.ts 0+$',
  'domain/books/fiat-report.ts \\.?0+$',
  'finance/exports/workbook/cells.ts 0+$',
  'domain/in-words.ts \\B(?=(\\d{3})+$)',
  'service-api/service-calls.ts \\/+$',
  'domain/deliveries/endpoint-rules.ts \\/+$',
]);
const LITERAL = /(?<=[=(,:?!&|[]\s*|\breturn )\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\n\\[])+)\/([dgimsuvy]*)/g;
const LENGTH = 10_000;
/** Whoever is not slow for so much of it is not slow for all. */
const SHORT = LENGTH / 2.5;
const SHORT_MS = 2;
/** Of processor time. A pattern that reads each character once takes a thousandth of it, one that begins anew at each ten times as much. */
const LIMIT_MS = 25;

const patterns = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => path.relative(SRC, path.join(entry.parentPath, entry.name)))
  .filter((file) => !OURS.test(file) && !OF_SETTINGS.has(file))
  .flatMap((file) => {
    const text = readFileSync(path.join(SRC, file), 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '');
    return [...text.matchAll(LITERAL)].map(([, source = '', flags = '']) => ({ file, source, flags }));
  });

/** Long runs of what patterns like to repeat, with an end, or a beginning, that makes them fail late. */
const textsOf = (length: number) =>
  [' ', '\n', 'a', 'A', '0', '/', '.', '-', '_', '@', '+', '"', '0 ', '.a', '[', '\ud800'].flatMap((unit) => {
    const run = unit.repeat(length / unit.length);
    return [`${run}!`, `,${run}x@`, `a@${run}`, `${run}@${run}`, `+1${run}`];
  });
const shorter = textsOf(SHORT);
const texts = textsOf(LENGTH);

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function isSlow({ source, flags }: { source: string; flags: string }): boolean {
  const pattern = new RegExp(source, flags.replace('y', ''));
  const time = (text: string) => processorMs(() => void text.replace(pattern, ''));
  // Again where it was slow: something else may have run just then.
  return texts.some((text, at) => time(shorter[at] ?? '') > SHORT_MS && time(text) > LIMIT_MS && time(text) > LIMIT_MS);
}

test('no text makes a pattern read it again and again', { timeout: 120_000 }, () => {
  expect(patterns.length).toBeGreaterThan(60);
  expect(isSlow({ source: '^\\s*(identity)?\\s*$', flags: '' })).toBe(true);
  const asked = patterns.filter(({ file, source }) => !BOUNDED.has(`${file} ${source}`));
  expect(asked.filter(isSlow)).toEqual([]);
});

test('addresses are struck from a text of a megabyte as quickly as it is read', () => {
  const texts = ['a'.repeat(900_000), `${'a'.repeat(450_000)}@${'a'.repeat(450_000)}`, `a@${'.'.repeat(900_000)}`];
  for (const text of texts) expect(processorMs(() => void maskText(`${text} ann@example.com`))).toBeLessThan(1_000);
  expect(maskText('to ann@example.com, or <bo.b@mail.example.org>; a@b')).not.toMatch(/ann|bo\.b|example/);
});
