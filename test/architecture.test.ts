import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ROOT, readDocument } from './docs/documents.js';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Who may import whom, besides node: and npm packages. A room is a folder of src/, or a file there without its ending. */
const MAY_IMPORT: Record<string, readonly string[] | 'anything'> = {
  domain: [],
  'service-api': ['domain', 'errors', 'log', 'metrics'],
  records: ['domain', 'errors', 'log', 'metrics'],
  webhook: ['records', 'service-api', 'domain', 'errors', 'log', 'metrics'],
  reconcile: ['records', 'service-api', 'domain', 'errors', 'log', 'metrics'],
  finance: ['records', 'service-api', 'domain', 'errors', 'log', 'metrics'],
  notify: ['records', 'domain', 'errors', 'log', 'metrics', 'outbound-address'],
  'own-calls': ['records', 'service-api', 'domain', 'errors', 'log'],
  console: ['records', 'finance', 'domain', 'version'],
  sandbox: [],
  config: ['errors', 'domain'],
  'embedded-postgres': ['errors', 'log'],
  errors: [],
  log: ['domain'],
  metrics: ['version'],
  version: [],
  'outbound-address': ['errors'],
  cli: 'anything',
  wiring: 'anything',
  index: 'anything',
  client: ['own-calls', 'service-api', 'domain', 'errors'],
};
/** Rooms that only some may enter. */
const ONLY_FOR: Record<string, readonly string[]> = { wiring: ['cli'], cli: [], index: [], client: ['index'] };
/** Folders that import each other, and why. Of two others one takes what it needs as a parameter, or what both need stands in a third. */
const EACH_OTHER: Record<string, string> = {
  'src, src/cli':
    'the program begins in cli.ts, which package.json names; errors.ts, log.ts and config.ts are everybody’s',
  'src, src/notify': 'the library is index.ts, which package.json names; log.ts and metrics.ts are everybody’s',
  'src, src/own-calls': 'client.ts is the client of the library, which package.json names; errors.ts is everybody’s',
  'src, src/service-api': 'client.ts is the client of the library; errors.ts is everybody’s',
  'src, src/webhook': 'index.ts hands on the receiver; errors.ts, log.ts and metrics.ts are everybody’s',
};
/** Packages that read or write, and what the pure rooms may not know of. */
const IMPURE = /^(node:(?!crypto|util|buffer|assert)|knex|pg|bullmq|ioredis|express|pino|prom-client|node-cron)/;
const IMPURE_WORDS = /\bDate\.now\(|new Date\(\)|performance\.now|Math\.random|process\.|setTimeout\(/;
const LONGEST_FILE = 300;

interface Arrow {
  from: string;
  to: string;
}

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => path.relative(SRC, path.join(entry.parentPath, entry.name)));
const textOf = new Map(files.map((file) => [file, readFileSync(path.join(SRC, file), 'utf8')]));

/** Both `import … from '…'`, `export … from '…'` and `import('…')`. */
function specifiersOf(text: string): string[] {
  const found = text.matchAll(/(?:^|\n)\s*(?:import|export)\s+(?:type\s)?(?:[^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/g);
  const lazy = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  return [...found, ...lazy].map(([, specifier]) => specifier!);
}

function importsOf(file: string): Arrow[] {
  return specifiersOf(textOf.get(file)!)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from: file, to: path.join(path.dirname(file), specifier.replace(/\.js$/, '.ts')) }));
}

const imports = files.flatMap(importsOf);
const roomOf = (file: string): string => file.split(path.sep)[0]!.replace(/\.ts$/, '');

function offence({ from, to }: Arrow): string | null {
  const [room, target] = [roomOf(from), roomOf(to)];
  if (room === target) return null;
  const allowed = MAY_IMPORT[room];
  if (allowed !== 'anything' && !allowed?.includes(target)) return `${from} → ${to}`;
  const guests = ONLY_FOR[target];
  return guests && !guests.includes(room) ? `${from} → ${to}` : null;
}

test('the scan sees the house', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter(({ to }) => !textOf.has(to)).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

test('every room is in the table', () => {
  expect([...new Set(files.map(roomOf))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
});

test('nobody imports what is not theirs to import', () => {
  expect(imports.map(offence).filter((found) => found !== null)).toEqual([]);
});

test('the table would notice', () => {
  const from = (from: string, to: string) => offence({ from, to });
  expect(from('webhook/queue.ts', 'reconcile/schedule/run.ts')).not.toBeNull();
  expect(from('reconcile/schedule/run.ts', 'webhook/queue.ts')).not.toBeNull();
  expect(from('sandbox/signing.ts', 'domain/money.ts')).not.toBeNull();
  expect(from('domain/merge.ts', 'records/runs/refresh-requests.ts')).not.toBeNull();
  expect(from('webhook/queue.ts', 'wiring/runtime.ts')).not.toBeNull();
  expect(from('index.ts', 'wiring/runtime.ts')).not.toBeNull();
  expect(from('cli/roles.ts', 'wiring/runtime.ts')).toBeNull();
});

test('no imports in a circle', () => {
  expect(circlesIn(imports)).toEqual([]);
});

describe('folders', () => {
  const outside = imports.filter(({ from }) => roomOf(from) !== 'sandbox');

  test('none imports one that imports it, but where a reason is given', () => {
    expect(pairsIn(outside)).toEqual(Object.keys(EACH_OTHER));
  });

  test('none is in a circle, where a file of src/ itself stands for itself', () => {
    const placeOf = (file: string) => (path.dirname(file) === '.' ? file : path.dirname(file));
    const among = outside.map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) }));
    expect(circlesIn(among.filter(({ from, to }) => from !== to))).toEqual([]);
  });

  test('a new pair would be noticed', () => {
    const back = { from: 'records/family/load.ts', to: 'records/orders/orders.ts' };
    expect(pairsIn([...outside, back])).toContain('src/records/family, src/records/orders');
  });
});

/** Each way round that leads back to where it began. */
function circlesIn(arrows: readonly Arrow[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of arrows) next.set(from, (next.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (place: string, way: string[]): void => {
    if (way.includes(place)) circles.push([...way.slice(way.indexOf(place)), place].join(' → '));
    if (done.has(place) || way.includes(place)) return;
    for (const target of next.get(place) ?? []) visit(target, [...way, place]);
    done.add(place);
  };
  for (const place of next.keys()) visit(place, []);
  return circles;
}

/** Pairs of folders of which each has a file that imports one of the other. */
function pairsIn(arrows: readonly Arrow[]): string[] {
  const folderOf = (file: string) => path.dirname(`src/${file}`);
  const ways = new Set(arrows.map(({ from, to }) => `${folderOf(from)}, ${folderOf(to)}`));
  const pairs = [...ways].map((way) => way.split(', ') as [string, string]);
  return pairs
    .filter(([one, other]) => one < other && ways.has(`${other}, ${one}`))
    .map((pair) => pair.join(', '))
    .toSorted();
}

describe('the domain is pure', () => {
  const domain = files.filter((file) => roomOf(file) === 'domain');

  test('no package that reads or writes', () => {
    const packages = domain.flatMap((file) =>
      specifiersOf(textOf.get(file)!).map((specifier) => `${file}: ${specifier}`),
    );
    expect(packages.length).toBeGreaterThan(5);
    expect(packages.filter((line) => IMPURE.test(line.split(': ')[1]!))).toEqual([]);
  });

  test('no clock, no chance, no environment', () => {
    expect(domain.filter((file) => IMPURE_WORDS.test(textOf.get(file)!))).toEqual([]);
  });
});

test(`no file is longer than ${LONGEST_FILE} lines`, () => {
  const long = files.filter((file) => textOf.get(file)!.split('\n').length - 1 > LONGEST_FILE);
  expect(long).toEqual([]);
});

test('nobody escapes texts for the database but what hands them to its driver', () => {
  const found = files.filter((file) => /\b(to|from)Database(Text|Json)\b/.test(textOf.get(file) ?? ''));
  const folder = 'records/database';
  expect(found).toEqual(
    ['array-parameter.ts', 'database-text.ts', 'text-client.ts'].map((name) => `${folder}/${name}`),
  );
});

test('only the configuration reads the environment', () => {
  const readers = files.filter((file) => /process\.env\b/.test(textOf.get(file)!));
  expect(readers).toEqual(['config.ts']);
});

describe('docs/architecture.md', () => {
  const { text } = readDocument('docs/architecture.md');

  /** Rows of the tables under the heading that begins so: what stands between backticks in each cell, or its words. */
  function rowsUnder(heading: string): string[][] {
    const section = text.slice(text.indexOf(`## ${heading}`)).split('\n## ')[0]!;
    const rows = section.split('\n').filter((line) => /^\|(?!---)/.test(line));
    return rows.slice(1).map((line) => line.split('|').slice(1, -1).map(cellOf));
  }

  function cellOf(cell: string): string {
    const spans = [...cell.matchAll(/`([^`]+)`/g)].map(([, span]) => span);
    return spans.length > 0 ? spans.join(' ') : cell.trim();
  }

  test.each([
    { flow: 'A webhook', most: 20 },
    { flow: 'A quiet tick', most: 20 },
  ])('$flow: each file hangs on one that is named before it', ({ flow, most }) => {
    const named = rowsUnder(flow).map(([file]) => file!.replace(/^src\//, ''));
    expect(named.length).toBeGreaterThan(10);
    expect(named.length).toBeLessThanOrEqual(most);
    const isLinked = (one: string, other: string) => imports.some(({ from, to }) => from === one && to === other);
    const loose = named.filter((file, at) => {
      const before = named.slice(0, at);
      return at > 0 && !before.some((other) => isLinked(other, file) || isLinked(file, other));
    });
    expect(named.filter((file) => !textOf.has(file))).toEqual([]);
    expect(loose).toEqual([]);
  });

  test('every file that it names is there', () => {
    const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name]) => name!);
    const known = new Set([...files.map((file) => `src/${file}`), ...files.map((file) => path.basename(file))]);
    const tests = readdirSync(path.join(ROOT, 'test')).map((file) => `test/${file}`);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !known.has(name) && !tests.includes(name))).toEqual([]);
  });

  test('the tables and columns whose names the database keeps are in its schema', () => {
    const schema = readFileSync(path.join(ROOT, 'migrations/schema.sql'), 'utf8');
    const names = rowsUnder('Names that the database keeps').flatMap(
      ([name]) => name!.match(/[a-z]+(_[a-z]+)+/g) ?? [],
    );
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !schema.includes(`${name} `) && !schema.includes(`TABLE ${name}\n`))).toEqual([]);
  });

  test('its table of folders is the one above', () => {
    const written = rowsUnder('Folders').map(([, folder, , imports, by]) => ({ folder, imports, by }));
    const held = Object.entries(MAY_IMPORT).map(([folder, may]) => {
      const guests = ONLY_FOR[folder];
      const imports = typeof may === 'string' ? may : may.join(' ') || 'nothing';
      return { folder, imports, by: guests === undefined ? 'anybody' : guests.join(' ') || 'nobody' };
    });
    const byName = (a: { folder?: string | undefined }, b: { folder?: string | undefined }) =>
      a.folder! < b.folder! ? -1 : 1;
    expect(written.toSorted(byName)).toEqual(held.toSorted(byName));
  });

  test('its graph is that of the imports; UPDATE_ARCHITECTURE=1 draws it', () => {
    const drawn = text.replace(/```mermaid\n[^`]*```/, `\`\`\`mermaid\n${graphOfRooms()}\`\`\``);
    if (process.env['UPDATE_ARCHITECTURE']) writeFileSync(path.join(ROOT, 'docs/architecture.md'), drawn);
    else expect(text).toBe(drawn);
  });
});

/** Rooms and whom they import, without the arrows that follow from others. */
function graphOfRooms(): string {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [room, target] = [roomOf(from), roomOf(to)];
    if (room !== target) next.set(room, (next.get(room) ?? new Set()).add(target));
  }
  const reachedFrom = (starts: Iterable<string>): Set<string> => {
    const reached = new Set(starts);
    for (const room of reached) for (const target of next.get(room) ?? []) reached.add(target);
    return reached;
  };
  const arrows = [...next].flatMap(([room, targets]) =>
    [...targets].flatMap((target) => {
      const others = [...targets].filter((other) => other !== target);
      return reachedFrom(others).has(target) ? [] : [`  ${room} --> ${target}\n`];
    }),
  );
  return `flowchart TB\n${arrows.toSorted().join('')}`;
}
