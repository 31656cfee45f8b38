import type { KindResult } from './compare-truth.js';
import type { BreakName } from './expected-breaks.js';

/** The table that a drill prints. */
export function resultTable(
  kinds: readonly KindResult[],
  breaks: { expected: ReadonlySet<BreakName>; found: ReadonlySet<BreakName> },
): string {
  const records = kinds.map(({ kind, records, differences }) => [kind, String(records), String(differences.length)]);
  const names = [...new Set([...breaks.expected, ...breaks.found].map(kindOf))].sort();
  const count = (set: ReadonlySet<BreakName>, kind: string) =>
    String([...set].filter((name) => kindOf(name) === kind).length);
  const found = names.map((kind) => [kind, count(breaks.expected, kind), count(breaks.found, kind)]);
  return [
    ...aligned([['records', 'at the service', 'differences'], ...records]),
    '',
    ...aligned([['breaks', 'expected', 'found'], ...found]),
    '',
  ].join('\n');
}

const kindOf = (name: BreakName): string => name.split(' ', 1)[0] ?? '';

function aligned(rows: readonly (readonly string[])[]): string[] {
  return rows.map(([name = '', ...cells]) => name.padEnd(34) + cells.map((cell) => cell.padStart(15)).join(''));
}
