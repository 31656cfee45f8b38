import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { oneLine, printJson, printText } from '../../src/cli/print.js';
import { plainJson, plainText } from '../../src/domain/plain-text.js';
import { createLog } from '../../src/log.js';
import { drivesTerminals, HOSTILE_TEXTS, hostileText } from './hostile.js';

test('JSON means the same once it is safe to be shown', () => {
  fc.assert(
    fc.property(fc.jsonValue(), hostileText, (value, text) => {
      const json = JSON.stringify({ value, [text]: text });
      const shown = plainJson(json);
      expect(JSON.parse(shown)).toEqual(JSON.parse(json));
      expect(shown).not.toMatch(drivesTerminals);
    }),
  );
});

test('what others wrote can neither begin a line of the log nor drive the terminal that shows it', () => {
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  for (const text of HOSTILE_TEXTS) {
    lines.length = 0;
    log.warn({ note: text, [text]: 1, err: new Error(text) }, text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    expect(lines[0]).not.toMatch(drivesTerminals);
    // A log is UTF-8, which has no lone surrogates.
    const kept = Buffer.from(text).toString();
    expect(JSON.parse(Buffer.from(lines[0] ?? '').toString())).toMatchObject({ note: kept, msg: kept });
  }
});

test('the command line shows control characters as what they are', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    for (const text of HOSTILE_TEXTS) {
      expect(oneLine(text)).not.toMatch(/[\n\t]/);
      printText(oneLine(text));
      printText(text);
      printJson({ items: [{ [text]: text }] });
    }
    const shown = write.mock.calls.map(([text]) => String(text)).join('');
    expect(shown).not.toMatch(drivesTerminals);
    expect(shown).toContain('\\u001b[2J');
    expect(shown).toContain('\\u009b');
  } finally {
    write.mockRestore();
  }
});

test('an escape is that of JSON, in four digits; line feeds and tabs stay', () => {
  expect(plainJson('"\u007f\u009b\u2028\u202e"')).toBe('"\\u007f\\u009b\\u2028\\u202e"');
  expect(plainText('a\tb\n\0\u001b[2J\u0085\u2066')).toBe('a\tb\n\\u0000\\u001b[2J\\u0085\\u2066');
});
