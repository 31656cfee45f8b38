import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { printLines, printList, printNote } from '../../src/cli/print.js';
import { printOne } from '../../src/cli/print-words.js';
import { verbs } from '../../src/cli/registry.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { prepareKeyed } from '../../src/service-api/keyed-calls.js';
import { seedConsole } from '../support/console-samples.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
let sandbox: Sandbox;
const run = useShell(database, () => ({
  SERVICE_BASE_URL: sandbox.url,
  SERVICE_API_KEY: 'sandbox-api-key',
  WEBHOOK_SECRETS: 'current=whsec_c3VyZQ==',
  WEBHOOK_SECRETS_FILE: '',
}));

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

const token = fc.stringMatching(/^[a-z0-9]{1,32}$/);
const row = fc.record({
  id: token,
  severity: fc.constantFrom('critical', 'warning'),
  alert: text,
  since: fc.constant('2026-10-31T18:00:00.123Z'),
  who: fc.option(token, { nil: null }),
  until: fc.constantFrom(null, '2026-10-31T19:00:00.000Z'),
  name: fc.constant('OnlyShown'),
});

it('a list has the same columns on a terminal whatever its rows hold, and no word of them is cut', () => {
  const columns = {
    id: 'id',
    severity: 'severity',
    alert: 'alert',
    since: 'since',
    'at it': 'who',
    'silent until': 'until',
  } as const;
  const besides = { columns: { name: 'name' }, show: 'tallyhook alerts show' } as const;
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), fc.integer({ min: 60, max: 200 }), (items, width) => {
      const shown = linesOn(width, () => printList({ items }, false, columns, besides));
      expect(shown.filter((line) => line.length > width)).toEqual([]);
      expect(shown.at(-1)).toBe('tallyhook alerts show has also: name');
      const words = new Set(
        shown
          .slice(0, -1)
          .join(' ')
          .split(/[\s│·:]+/),
      );
      const said = items.flatMap(({ id, severity, alert, who }) => [id, severity, ...alert.split(' '), who ?? '–']);
      const heads = Object.keys(columns).flatMap((head) => head.split(' '));
      expect([...heads, ...said, '2026-10-31'].filter((one) => !words.has(one))).toEqual([]);
      expect(words.has('OnlyShown')).toBe(false);
      expect(linesOn(undefined, () => printList({ items }, false, columns, besides)).join()).toContain('OnlyShown');
    }),
  );
});

it.each([
  [2, 'a line for each cell'],
  [30, 'three lines'],
])('%i rows that no table has room for are cards of %s', (n) => {
  const long = { id: 'a'.repeat(40), who: 'b'.repeat(50), kind: 'c' };
  const lines = linesOn(80, () =>
    printList({ items: Array.from({ length: n }, () => long) }, false, { id: 'id', who: 'who', kind: 'kind' }),
  );
  expect(lines.slice(0, 3)).toEqual(
    n === 2
      ? [`id    ${long.id}`, `who   ${long.who}`, 'kind  c']
      : [`id: ${long.id}`, `  who: ${long.who} · kind: c`, `id: ${long.id}`],
  );
});

it('says yes and no, not true and false', () => {
  const lines = linesOn(80, () => printOne(false, { isOverdue: false, sides: { held: true } }));
  expect(lines).toEqual(['is overdue  no', 'sides', '  held  yes']);
});

/** What a command is given besides its words, where it needs something. */
const GIVEN: Record<string, readonly string[]> = {
  reconcile: ['endpoints'],
  'events show': ['1'],
  'events replay': ['1'],
  scorecard: ['2026-10'],
  'breaks show': ['1'],
  'breaks observe': ['payin_net'],
  'breaks ack': ['1'],
  'breaks resolve': ['1'],
  'breaks writeoff': ['1'],
  'breaks assign': ['1', '--nobody'],
  'balances attribute': ['USDT.TRON', '--amount=-1'],
  'balances attributions': ['USDT.TRON'],
  'balances rebook': [
    'USDT.TRON',
    '1',
    '--from',
    'equity:attributed',
    '--contra',
    'equity:deposits',
    '--on',
    '2026-10-01',
  ],
  'books accounts': ['2026-10'],
  'books income': ['2026-10'],
  'books rates import': ['none.csv'],
  'periods check': ['2026-03'],
  'periods close': ['2026-03'],
  'periods reopen': ['2026-03', '--reason', 'why'],
  'decisions show': ['1'],
  'decisions approve': ['1'],
  'decisions refuse': ['1'],
  'decisions withdraw': ['1'],
  export: ['2026-03', '--format', 'csv', '--out', 'out'],
  'audit export': ['--out', 'out'],
  'audit pack': ['2026-03', '--out', 'out'],
  'alerts show': ['1'],
  'parts retire': ['worker'],
  'parts restore': ['worker'],
  'callbacks replay': ['1'],
  find: ['order-2'],
  'orders show': ['order-2'],
  api: ['listPublicAssets'],
  trigger: ['payment_intent.completed'],
  'signature sign': ['--body', import.meta.filename],
  'signature verify': ['--body', import.meta.filename, '--signature', 'sha256=00'],
  'secrets retire': ['current'],
  'secrets restore': ['current'],
};

/** They go on until they are stopped. */
const ENDLESS = ['start', 'serve', 'work', 'schedule', 'console', 'demo', 'sandbox'];

describe('on a terminal of 80 columns', () => {
  const commands: { name: string; words: string[]; command: Command }[] = [];
  /** JSON is for programs. */
  const wide = (text: string) =>
    text.startsWith('{') || text.startsWith('[')
      ? []
      : stripVTControlCharacters(text)
          .split(/[\n\r]/)
          .filter((line) => line.length > 80);
  const runWide = async (...words: string[]) => {
    for (const stream of streams) Object.assign(stream, { isTTY: true, columns: 80 });
    const { code, stdout, stderr } = await run(...words);
    return { code, stdout, wide: [words.join(' '), ...wide(stdout), ...wide(stderr)] };
  };
  const fits = (...words: string[]) => [words.join(' ')];

  beforeAll(async () => {
    await seedConsole(database.db);
    sandbox = await startSandbox({ payments: 3, seed: 5 });
    const { write } = prepareKeyed('createRefund', { body: { paymentIntentId: 'pi_2' } });
    const calls = createServiceWriteLog(database.db);
    await calls.begin(write, { leaseMs: 60_000, withinMs: 480_000 });
    await calls.end(write, 'lost', null);
    const { id: alert } = await database.db('alerts').whereNotNull('fired_at').whereNull('resolved_at').first('id');
    GIVEN['alerts ack'] = [alert];
    GIVEN['alerts silence'] = [alert, '--until', '2h'];
    const { id: payout } = await database.db('payouts').where({ payout_type: 'settlement' }).first('id');
    GIVEN['settlements mark'] = [payout, '--amount', '1'];
    GIVEN['refunds assign'] = [payout, '--payment', 'none'];
    GIVEN['calls show'] = [write.key];
    GIVEN['calls settle'] = [write.key, '--as', 'not_done'];
    for (const { name, load } of verbs) {
      const command = new Command(name);
      (await load())(command);
      const walk = (words: string[], one: Command) => {
        commands.push({ name: words.join(' '), words, command: one });
        for (const own of one.commands) walk([...words, own.name()], own);
      };
      walk([name], command);
    }
  });

  afterAll(() => sandbox.close());

  it('no line of any help is longer', async () => {
    expect(commands.length).toBeGreaterThan(80);
    for (const words of [[], ...commands.map((one) => one.words)]) {
      const asked = [...words, '--help'];
      const { stdout, wide: found } = await runWide(...asked);
      expect(stdout).toContain('Usage: tallyhook');
      expect(found).toEqual(fits(...asked));
    }
  });

  it('no line of what is refused is longer: an option that there is not, a word that is none of those there are', async () => {
    for (const { words, command } of commands) {
      const closed = command.options.filter(({ argChoices, parseArg }) => argChoices ?? parseArg);
      const wrong = [['--no-such-option'], ...closed.map(({ long }) => [String(long), 'no-such-word'])];
      for (const given of wrong) {
        const { code, wide: found } = await runWide(...words, ...given);
        expect([code, found]).toEqual([2, fits(...words, ...given)]);
      }
    }
  });

  it('no line of what any command says is longer, and a row of a list is three lines at most where one is shown by itself', async () => {
    const ending = commands.filter(({ name, command }) => command.commands.length === 0 && !ENDLESS.includes(name));
    for (const { name, words, command } of ending) {
      const has = (flag: string) => command.options.some(({ long }) => long === flag);
      const more = [
        ...(GIVEN[name] ?? []),
        ...(has('--note') ? ['--note', 'why'] : []),
        ...(has('--dry-run') ? ['--dry-run'] : []),
      ];
      const { stdout, code, wide: found } = await runWide(...words, ...more);
      expect(found).toEqual(fits(...words, ...more));
      const isReading = has('--json') && !has('--dry-run') && name !== 'demo compare';
      if (isReading) expect([name, code]).toEqual([name, expect.toBeOneOf([0, 3])]);
      const hasShow = words.at(-1) === 'list' && commands.some((one) => one.name === `${words[0]} show`);
      if (!hasShow) continue;
      const rows = stdout.split(/^[├└].*$/m).slice(1, -1);
      expect([name, rows.length]).toEqual([name, expect.any(Number)]);
      expect([name, rows.filter((row) => row.trim().split('\n').length > 3)]).toEqual([name, []]);
    }
  });
});
