import { grouped } from '../domain/grouped.js';
import { kinds } from '../reconcile/deps.js';
import type { Check } from '../wiring/doctor/check.js';
import { oneLine } from './print.js';

const WIDTH = 100;
const INDENT = 10;
const groups = ['installation', 'service', 'secrets', 'alerts', 'what is proven', 'contract'] as const;
type Group = (typeof groups)[number];

type Status = Check['status'];

/** In a line's first column, and in the order in which they are printed. Advice is `ok`, with something to do. */
const words = ['finding', 'unknown', 'hint', 'ok'] as const;

/**
 * How many of each group are well, and in full what is not, findings first, and what is advised; those of which the same is
 * said are printed together. With `all` also what is well. At most 100 columns, but for a word that is longer.
 */
export function printDiagnosis(items: readonly Check[], { all }: { all: boolean }): string[] {
  const printed = words.filter((word) => all || word !== 'ok');
  // What follows from a finding stands beneath it.
  const shown = items.filter(({ because }) => all || because === undefined);
  const lines = printed.flatMap((word) => alikeOf(shown.filter((check) => wordOf(check) === word)).flatMap(printAlike));
  return [...printGroups(items), ...(lines.length > 0 ? ['', ...lines] : []), '', ...summaryOf(items, all)];
}

function printGroups(items: readonly Check[]): string[] {
  const row = (name: string, ...cells: (string | number)[]) =>
    `${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(9)).join('')}`.trimEnd();
  const rows = groups.flatMap((group) => {
    const own = items.filter((check) => groupOf(check) === group);
    const [ok, finding, unknown] = (['ok', 'finding', 'unknown'] as const).map((status) => countOf(own, status));
    return own.length === 0 ? [] : [row(group, ok || '–', finding || '–', unknown || '–')];
  });
  return [row('', 'ok', 'finding', 'unknown'), ...rows];
}

const ofService = new Set(['service', 'clock', 'key', 'account', 'endpoint']);
const ofAlerts = new Set(['receiver', 'worker', 'alerts', 'alert channels']);
const ofContract = new Set(['event id', 'retries']);
const ofProof: ReadonlySet<string> = new Set(kinds);

/** One that is about several things is named by all of them. */
function groupOf({ name: all }: Check): Group {
  const name = all.split(', ')[0] ?? all;
  if (ofContract.has(name) || name.startsWith('contract ')) return 'contract';
  if (ofAlerts.has(name) || name.startsWith('alerts by ')) return 'alerts';
  if (name === 'secrets' || name.startsWith('secret ')) return 'secrets';
  if (ofService.has(name)) return 'service';
  return ofProof.has(name) ? 'what is proven' : 'installation';
}

/** Of these the same is said. */
interface Alike {
  names: string[];
  check: Check;
}

function alikeOf(items: readonly Check[]): Alike[] {
  const alike = grouped(items, (check) => JSON.stringify([groupOf(check), check.status, check.found, check.remedy]));
  return [...alike.values()].map((some) => ({ names: some.map(({ name }) => name), check: some[0] as Check }));
}

function wordOf({ status, remedy }: Check): (typeof words)[number] {
  return status === 'ok' && remedy !== null ? 'hint' : status;
}

function printAlike({ names, check }: Alike): string[] {
  const { found, remedy, follows = [] } = check;
  const [first = '', ...others] = names;
  // The word that they all begin with is said once.
  const shared = others.length > 0 && first.startsWith('contract ') ? 'contract ' : '';
  const short = (name: string) => (shared !== '' && name.startsWith(shared) ? name.slice(shared.length) : name);
  const list = [first, ...others.map(short)].join(', ');
  const [head = '', ...rest] = wrap(list);
  const body = [
    ...wrap(found),
    ...follows.flatMap((title) => wrap(`with it: ${title}`, 2)),
    ...(remedy === null ? [] : wrap(`→ ${remedy}`, 2)),
  ];
  return [`${wordOf(check).padEnd(INDENT)}${head.trimStart()}`, ...rest, ...body];
}

/** Lines of words behind the first column; what does not fit goes on `more` further in. */
function wrap(text: string, more = 0): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of oneLine(text).split(' ')) {
    const room = WIDTH - INDENT - (lines.length > 0 ? more : 0);
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one, index) => `${' '.repeat(INDENT + (index > 0 ? more : 0))}${one}`);
}

function countOf(items: readonly Check[], wanted: Status): number {
  return items.filter(({ status }) => status === wanted).length;
}

function summaryOf(items: readonly Check[], all: boolean): string[] {
  const [finding, unknown] = [countOf(items, 'finding'), countOf(items, 'unknown')];
  const counts = [
    `${items.length} ${items.length === 1 ? 'check' : 'checks'}:`,
    finding === 0 ? 'nothing is to be done' : `${finding} to fix`,
    ...(unknown === 0 ? [] : [`and ${unknown} not known yet`]),
  ].join(' ');
  return [`${counts}.${all ? '' : ' Each of them: tallyhook doctor --all'}`];
}
