import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { printLines, printList, printNote } from '../../src/cli/print.js';
import { printOne } from '../../src/cli/print-words.js';
import { verbs } from '../../src/cli/registry.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import { prepareKeyed } from '../../src/service-api/keyed-calls.js';
import { seedConsole } from '../support/console-samples.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const run = useShell(database, () => ({ WEBHOOK_SECRETS: 'current=whsec_c3VyZQ==', WEBHOOK_SECRETS_FILE: '' }));

const streams = [process.stdout, process.stderr];
const before = streams.map(({ isTTY, columns }) => ({ isTTY, columns }));
let printed = '';

beforeEach(() => {
  for (const stream of streams)
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
});

afterEach(() => {
  streams.forEach((stream, n) => Object.assign(stream, before[n]));
  vi.restoreAllMocks();
});

/** What is printed where both streams go to a terminal of that width; undefined: to none. */
function linesOn(columns: number | undefined, print: () => void): string[] {
  for (const stream of streams) Object.assign(stream, { isTTY: columns !== undefined, columns });
  printed = '';
  print();
  return stripVTControlCharacters(printed).trimEnd().split('\n');
}

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const text = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(' '));
const thing = fc.record({
  means: text,
  isOverdue: fc.boolean(),
  openedAt: fc.constant('2026-10-31T18:00:00.123Z'),
  entity: fc.record({ kind: word, detail: text }),
  follows: fc.array(fc.record({ detail: text, names: fc.array(word) }), { maxLength: 3 }),
  answer: fc.record({ said: text }).map((said) => JSON.stringify(said)),
});

it('no line is wider than the terminal, no word is lost, and what goes elsewhere has a line of its own for each', () => {
  fc.assert(
    fc.property(thing, fc.integer({ min: 60, max: 160 }), (item, width) => {
      const prints = [
        () => printOne(false, item, ['answer']),
        () => printNote(item.means),
        () => printLines([`release    ${item.means}`], 11),
        () => printList({ items: [item] }, false, { means: 'means', answer: 'answer' }),
      ];
      for (const print of prints) {
        const shown = linesOn(width, print);
        expect(shown.filter((line) => line.length > width)).toEqual([]);
        const words = (lines: string[]) =>
          lines.join(' ').replaceAll(/2026-10-31.18:00:00(\.123)?Z|[\s│┌┐└┘├┤┬┴┼─]+/g, ' ');
        if (print !== prints[3]) expect(words(shown)).toBe(words(linesOn(undefined, print)));
      }
      expect(linesOn(undefined, () => printNote(item.means))).toEqual([item.means]);
      expect(linesOn(undefined, () => printLines([`release    ${item.means}`], 11))).toEqual([
        `release    ${item.means}`,
      ]);
    }),
  );
});

it('says yes and no, not true and false', () => {
  const lines = linesOn(80, () => printOne(false, { isOverdue: false, sides: { held: true } }));
  expect(lines).toEqual(['is overdue  no', 'sides', '  held  yes']);
});

/** What a command that reads is given besides its words, where it needs something. */
const GIVEN: Record<string, readonly string[]> = {
  'alerts show': ['1'],
  'audit verify': [],
  'balances attributions': ['USDT.TRON'],
  'books accounts': ['2026-10'],
  'books income': ['2026-10'],
  'breaks show': ['1'],
  'decisions show': ['1'],
  'events show': ['1'],
  find: ['order-2'],
  'orders show': ['order-2'],
  'periods check': ['2026-03'],
  scorecard: ['2026-10'],
};

/** What they are: those that write, ask the service, or go on until they are stopped. */
const NOT_RUN =
  /^(demo|deliveries|doctor|reconcile|sandbox|signature|api|compare|trigger|export)\b|^audit (export|pack)/;

describe('on a terminal of 80 columns', () => {
  const commands: { words: string[]; command: Command }[] = [];
  const wide = (text: string) =>
    stripVTControlCharacters(text)
      .split(/[\n\r]/)
      .filter((line) => line.length > 80);
  const runWide = (...words: string[]) => {
    for (const stream of streams) Object.assign(stream, { isTTY: true, columns: 80 });
    return run(...words);
  };

  beforeAll(async () => {
    await seedConsole(database.db);
    const { write } = prepareKeyed('createRefund', { body: { paymentIntentId: 'pi_2' } });
    const calls = createServiceWriteLog(database.db);
    await calls.begin(write, { leaseMs: 60_000, withinMs: 480_000 });
    await calls.end(write, 'lost', null);
    GIVEN['calls show'] = [write.key];
    for (const { name, load } of verbs) {
      const command = new Command(name);
      (await load())(command);
      const walk = (words: string[], one: Command) => {
        commands.push({ words, command: one });
        for (const own of one.commands) walk([...words, own.name()], own);
      };
      walk([name], command);
    }
  });

  it('no line of any help is longer', async () => {
    expect(commands.length).toBeGreaterThan(80);
    for (const words of [[], ...commands.map((one) => one.words)]) {
      const { stdout } = await runWide(...words, '--help');
      expect(stdout).toContain('Usage: tallyhook');
      expect([words.join(' '), wide(stdout)]).toEqual([words.join(' '), []]);
    }
  });

  it('no line of what any command shows is longer, and a row of a list is three lines at most where one is shown by itself', async () => {
    const reading = commands.filter(({ words, command }) => {
      const has = (flag: string) => command.options.some(({ long }) => long === flag);
      return has('--json') && !has('--dry-run') && !NOT_RUN.test(words.join(' '));
    });
    expect(reading.length).toBeGreaterThan(20);
    for (const { words } of reading) {
      const name = words.join(' ');
      const { stdout, stderr, code } = await runWide(...words, ...(GIVEN[name] ?? []));
      expect([name, code]).toEqual([name, expect.toBeOneOf([0, 3])]);
      expect([name, wide(stdout), wide(stderr)]).toEqual([name, [], []]);
      const hasShow = words.at(-1) === 'list' && commands.some((one) => one.words.join(' ') === `${words[0]} show`);
      if (!hasShow) continue;
      const rows = stdout.split(/^[├└].*$/m).slice(1, -1);
      expect([name, rows.length]).toEqual([name, expect.any(Number)]);
      expect([name, rows.filter((row) => row.trim().split('\n').length > 3)]).toEqual([name, []]);
    }
  });
});
