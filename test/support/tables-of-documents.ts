import type { Variable } from '../../src/config/variable.js';
import type { BreakDefinition, Severity } from '../../src/domain/breaks/findings.js';

/** A table of a document that says what a definition says: the first one under the heading. */
export interface DocumentTable {
  file: string;
  /** Without its `#`. */
  heading: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** The document with the table as it should be. */
export function withTable(text: string, { heading, columns, rows }: DocumentTable): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  const first = lines.findIndex((line, at) => at > start && line.startsWith('|'));
  const next = lines.findIndex((line, at) => at > start && line.startsWith('#'));
  if (start < 0 || first < 0 || (next >= 0 && next < first)) throw new Error(`no table under “${heading}”`);
  const after = lines.findIndex((line, at) => at > first && !line.startsWith('|'));
  const table = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  table[1] = `|${columns.map(() => '---').join('|')}|`;
  return [...lines.slice(0, first), ...table, ...lines.slice(after < 0 ? lines.length : after)].join('\n');
}

/** Words for a terminal as Markdown: pages become links, and what begins a command or names a setting becomes code. */
const marked = (words: string) =>
  words
    .replaceAll(
      /docs\/([a-z-]+\.md), “([^”]+)”/g,
      (_, file: string, title: string) => `[${file}](${file}#${title.toLowerCase().replaceAll(' ', '-')})`,
    )
    .replaceAll(/docs\/([a-z-]+\.md)/g, '[$1]($1)')
    .replaceAll(/\btallyhook(?: [a-z-]+)+(?: [A-Z]{2,})?(?: --[a-z]+(?: [A-Z]+| [a-z]+(?::[A-Z]+)?)?)*/g, '`$&`')
    .replaceAll(/“(`[^`]*`)”/g, '$1');

export function breakTables(definitions: Readonly<Record<string, BreakDefinition>>): DocumentTable[] {
  const all = Object.entries(definitions);
  const file = 'docs/breaks.md';
  const row = ([kind, { severity, also, means, ends, remedy }]: (typeof all)[number], under: readonly Severity[]) => {
    const isOther = also !== undefined && !under.includes(severity) && under.includes(also.severity);
    const worse =
      also === undefined ? '' : ` ${also.severity.replace(/^./, (first) => first.toUpperCase())} where ${also.where}.`; // A kind is explained once, under its own severity.
    const main = severity === 'critical' || severity === 'high' ? severity : 'medium and low';
    if (isOther) return [`\`${kind}\` where ${also.where}`, `see [${main}](#${main.replaceAll(' ', '-')})`, '', ''];
    return [`\`${kind}\`${under.length > 1 ? ` (${severity})` : ''}`, `${means}${worse}`, ends, remedy].map(marked);
  };
  const table = (heading: string, under: readonly Severity[]): DocumentTable => ({
    file,
    heading,
    columns: ['kind', 'opens when', 'resolves itself when', 'do'],
    rows: all
      .filter(
        ([, { severity, also }]) => under.includes(severity) || (also !== undefined && under.includes(also.severity)),
      )
      .map((one) => row(one, under)),
  });
  return [
    {
      file,
      heading: 'Breaks beside an order that is safe',
      columns: ['break', 'its order may be safe where', 'what to do'],
      rows: all.flatMap(([kind, { besideSafe }]) =>
        besideSafe === undefined ? [] : [[`\`${kind}\``, besideSafe.where, besideSafe.remedy]],
      ),
    },
    table('Critical', ['critical']),
    table('High', ['high']),
    table('Medium and low', ['medium', 'low']),
  ];
}

/** docs/configuration.md: a table for each group. */
export function variableTables(groups: Readonly<Record<string, Readonly<Record<string, Variable>>>>): DocumentTable[] {
  return Object.entries(groups).map(([heading, variables]) => ({
    file: 'docs/configuration.md',
    heading,
    columns: ['name', 'default', 'meaning', 'accepted', 'roles'],
    rows: Object.entries(variables).map(([name, { fallback, meaning, accepts, secret, neededBy, usedBy }]) => [
      secret ? `${name} or ${name}_FILE` : name,
      fallback === undefined ? (neededBy === undefined ? 'unset' : 'required') : `\`${fallback}\``,
      meaning.replaceAll(/docs\/([a-z-]+\.md)/g, '[$1]($1)'),
      accepts,
      neededBy === undefined ? usedBy?.join(', ') || (usedBy ? 'commands' : 'all') : rolesOf(neededBy, usedBy),
    ]),
  }));
}

function rolesOf(neededBy: readonly string[], usedBy: readonly string[] = []): string {
  const others = usedBy.filter((role) => !neededBy.includes(role));
  return [`needed by ${neededBy.join(', ')}`, ...(others.length > 0 ? [`read by ${others.join(', ')}`] : [])].join(
    '; ',
  );
}

/** docs/contract.md: the endpoints of the specification, 4.1 to 4.22. `handlerOf`: the sandbox's file by method and route. */
export function endpointTable(
  operations: readonly { name: string; method: string; path: string }[],
  handlerOf: (route: string) => string | undefined,
): DocumentTable {
  return {
    file: 'docs/contract.md',
    heading: 'The endpoints',
    columns: ['spec', 'call', 'client', 'sandbox', 'tested as'],
    rows: operations.map(({ name, method, path }, at) => {
      const handler = handlerOf(`${method} ${path}`);
      if (handler === undefined) throw new Error(`the sandbox has no ${method} ${path}`);
      return [`4.${at + 1}`, `\`${method} ${path}\``, `\`${name}\``, `\`${handler}\``, `${name} (4.${at + 1})`];
    }),
  };
}
