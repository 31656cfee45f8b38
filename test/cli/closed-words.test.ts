import { createServer } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { hanging, tableText } from '../../src/cli/print.js';
import { verbs } from '../../src/cli/registry.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { startCli } from '../support/run-cli.js';
import { runHere } from '../support/run-here.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const run = useShell(database);
const cwd = useFolder();

/** Words of a list that are closed: those that have no value of the person's own. */
const OPEN = new Set([
  'json',
  'take',
  'cursor',
  'type',
  'since',
  'reference',
  'as-of',
  'asset',
  'owner',
  'overdue',
  'payment',
  'received-from',
  'received-to',
]);

describe('a list', () => {
  it('takes the words that it knows, and refuses any other with those that it knows', async () => {
    const tried: string[] = [];
    for (const { name, load } of verbs) {
      const command = new Command(name);
      (await load())(command);
      const lists = [command, ...command.commands].filter((one) => one.name() === 'list' || one.name() === 'match');
      for (const list of lists) {
        for (const option of list.options.filter(({ long }) => !OPEN.has(long?.slice(2) ?? ''))) {
          const words = list === command ? [name] : [name, list.name()];
          const { code, stdout, stderr } = await run(...words, option.long ?? '', 'banana');
          tried.push(`${words.join(' ')} ${option.long}`);
          expect([tried.at(-1), code, stdout]).toEqual([tried.at(-1), 2, '']);
          expect(stderr).toContain('banana');
          for (const choice of option.argChoices ?? []) expect(stderr).toContain(choice);
          expect(option.argChoices?.length, tried.at(-1)).toBeGreaterThan(1);
        }
      }
    }
    for (const one of [
      'breaks list --status',
      'events list --status',
      'rejections list --reason',
      'calls list --status',
    ])
      expect(tried).toContain(one);
  });

  it('of breaks has those that are not closed, unless all are asked for', async () => {
    const { db } = database;
    const entities = ['a', 'b', 'c'].map((id) => ({ kind: 'delivery', id }) as const);
    await openBreaks(
      db,
      entities.map((entity) => ({ kind: 'missed_webhook', entity, evidence: {} })),
    );
    await db('breaks').where({ entity_id: 'b' }).update({ status: 'acknowledged' });
    await db('breaks').where({ entity_id: 'c' }).update({ status: 'resolved', resolved_at: new Date() });
    const listed = async (...more: string[]) => {
      const { json, code } = await run('breaks', 'list', '--json', ...more);
      return [(json as { items: { entity: { id: string } }[] }).items.map(({ entity }) => entity.id).join(), code];
    };
    expect(await listed()).toEqual(['b,a', 3]);
    expect(await listed('--status', 'any')).toEqual(['c,b,a', 3]);
    expect(await listed('--status', 'resolved')).toEqual(['c', 0]);
    expect(await listed('--severity', 'low')).toEqual(['', 0]);
  });

  it('whose reader leaves early, as head does, still ends with the exit code of its findings', async () => {
    const listed = startCli(['breaks', 'list'], { cwd, env: { DATABASE_URL: database.url } });
    listed.child.stdout?.destroy();
    expect([await listed.end(null), listed.output.stderr]).toEqual([3, '']);
  });
});

describe('a table', () => {
  const id = 'pi_0123456789abcdef0123456789abcdef';
  const head = ['id', 'what', 'status'];
  const rows = [[id, 'a difference of which there is much to say, in a long sentence', 'open']];

  it.each([
    ['an id', id],
    ['signs that are two places wide', '支付意向支付意向支付意向支付意向支付意向'],
  ])('is as wide as the terminal, and loses nothing: %s', (_, long) => {
    const text = stripVTControlCharacters(tableText(head, [[long, ...(rows[0] ?? []).slice(1)]], 72));
    const lines = text.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(72);
    const cells = lines.filter((line) => line.startsWith('│')).map((line) => line.split('│'));
    const column = (n: number) => cells.slice(1).map((cell) => (cell[n] ?? '').trim());
    expect(column(1).join('')).toBe(long);
    // Words stay whole where they fit.
    expect(column(2).join(' ').trim()).toBe(rows[0]?.[1]);
  });

  it.each([100, 80, 60, 40])('of %i places cuts no word, whatever it holds', (width) => {
    const columns = ['event', 'out of order', 'never generated', 'since', 'alert', 'endpoint', 'verdict', 'p50 ms'];
    const values = [
      'payment_intent.completed',
      '12.5',
      '1234567',
      '2026-11-29 08:36:28Z',
      'TallyhookCriticalBreak',
      'we_35e551f4a7267531',
      'undetermined',
      '–',
    ];
    const text = stripVTControlCharacters(tableText(columns, [values, values], width));
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    const parts = [
      'intent.',
      'completed',
      'generated',
      '2026-11-29',
      '08:36:28Z',
      'Critical',
      '35e551f4a7267531',
      '12.5',
    ];
    for (const part of parts) expect(text).toContain(part);
  });

  it('leaves prose no wider than the terminal, its lines below one another', () => {
    const prose = `money     ${'12 of 13 balances agreed when they were read last '.repeat(4).trim()}`;
    const lines = hanging(prose, 10, 60).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    for (const line of lines.slice(1)) expect(line).toMatch(/^ {10}\S/);
    expect(lines.map((line) => line.slice(10)).join(' ')).toBe(prose.slice(10));
  });

  it('is not wrapped where no terminal is', () => {
    expect(tableText(head, rows)).toContain(id);
    expect(stripVTControlCharacters(tableText(head, rows, 200))).toContain(id);
  });
});

it('a port that is taken is said in a sentence', async () => {
  const port = await freePort(null);
  const other = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { code, stderr } = await runHere(['sandbox', '--port', String(port)], { cwd: '/tmp' });
  other.close();
  expect(code).toBe(2);
  expect(stderr).toContain(`127.0.0.1:${port}, but another program listens there`);
  expect(stderr).not.toContain('    at ');
});
