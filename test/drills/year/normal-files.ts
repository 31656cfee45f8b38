import { strFromU8, unzipSync } from 'fflate';
import { compareAmounts, subtractAmounts } from '../../../src/domain/money.js';

/** What hangs on when something was seen, posted or written down, by the name of its column: no amount, date or account is among it. */
const TIMED = ['entry', 'entry id', 'number', 'reverses', 'corrects', 'observed_by', 'posted_at', 'month_status']
  .concat(['proven_at', 'proven (utc)', 'read_at', 'read (utc)', 'opened_at', 'opened (utc)', 'break'])
  .concat(['id', 'observedBy', 'postedAt', 'monthStatus', 'provenAt', 'readAt', 'openedAt']);
/** Of orders and payments, as they stood when it was written: what a dispute that opened since, or is over since, makes of them. */
const STANDING = ['release_safe', 'releaseSafe', 'safe to release', 'release_reason', 'releaseReason', 'why']
  .concat(['irregular_status', 'irregularStatus', 'irregular'])
  .concat(TIMED);
const ORDERS = [...STANDING, 'status', 'refunds'];
/**
 * Of the journals. A line is the growth of its account's rounded sum, in the order of posting: so what is posted later moves no number and no
 * cent of a line that somebody has imported. Sorted by day it would, each time something of an earlier day comes to be known. So the cent of a rounding stands where an
 * installation posted it, and line by line it can't be the same; the sum of each account is, and no line is a cent from its exact value.
 */
const ROUNDED = ['debit', 'credit'];
export const TOO_FAR = 'is a cent or more from its value';

type Row = Record<string, string>;

function csvRows(text: string, separator = ','): string[][] {
  const rows: string[][] = [[]];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}"\\r\\n]*))(${separator}|\\r\\n|$)`, 'g');
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.some((one) => one !== ''));
}

function named([heads = [], ...rows]: string[][]): Row[] {
  return rows.map((row) => Object.fromEntries(heads.map((head, n) => [head.toLowerCase(), row[n] ?? ''])));
}

const without = (row: Row, names: readonly string[]) =>
  JSON.stringify(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Sums by account, in units of the last digit. */
function sums(lines: readonly (readonly [account: string, amount: string])[]): string[] {
  const found = new Map<string, bigint>();
  for (const [account, amount] of lines)
    found.set(account, (found.get(account) ?? 0n) + BigInt(amount.replace(/[.,]/, '') || '0'));
  return [...found].map(([account, sum]) => `${account} ${sum}`);
}

function journal(text: string): string[] {
  const rows = named(csvRows(text));
  // What rounding leaves over of an entry has no amount of its own.
  const lines = rows
    .filter((row) => row['amount'] !== '')
    .map((row) => without(row, [...TIMED, ...ROUNDED]) + (isWithinACent(row) ? '' : ` ${TOO_FAR}`));
  const booked = rows.flatMap(({ account = '', debit = '', credit = '' }) => [
    [account, debit || '0.00'] as const,
    [account, credit === '' ? '0.00' : `-${credit}`] as const,
  ]);
  return [...lines, ...sums(booked)];
}

function isWithinACent({ debit, credit, value }: Row): boolean {
  const booked = debit || `-${credit || '0'}`;
  const off = subtractAmounts(booked, value || '0');
  return compareAmounts(off, '0.01') < 0 && compareAmounts(off, '-0.01') > 0;
}

/** Each posting goes from one account to another. */
function datev(text: string): string[] {
  const [, , ...rows] = csvRows(text, ';');
  const booked = rows.flatMap(([amount = '', side, , , , , account = '', other = '']) => {
    const [own, theirs] = side === 'S' ? ['', '-'] : ['-', ''];
    return [[account, `${own}${amount}`] as const, [other, `${theirs}${amount}`] as const];
  });
  return sums(booked);
}

const LEDGER_TAGS = /^ +(?:; )?(?:entry|reverses|corrects): .*$/;

/** Entries as paragraphs; hledger has the entry's id in the head of each. */
const ledger = (text: string): string[] =>
  text
    .trim()
    .split(/\n{2,}/)
    .map((part) =>
      part
        .split('\n')
        .filter((line) => !LEDGER_TAGS.test(line) && !line.startsWith('; '))
        .map((line) => line.replace(/^(\d{4}-\d\d-\d\d) \(\d+\) /, '$1 '))
        .join('\n'),
    );

function objects(text: string, hidden: readonly string[]): string[] {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== 'object') return value;
    const kept = Object.entries(value).filter(
      ([name]) => !hidden.includes(name) || (name === 'id' && 'status' in value),
    );
    return Object.fromEntries(kept.map(([name, one]) => [name, plain(one)]));
  };
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : JSON.stringify(plain(JSON.parse(line)))));
}

/** Each cell by its column's head; of the summary, which has several tables, by its letter. */
function cells(bytes: Uint8Array): string[] {
  return Object.entries(unzipSync(bytes)).flatMap(([name, sheet]) => {
    if (!name.startsWith('xl/worksheets/')) return [`${name} ${strFromU8(sheet)}`];
    const rows = [...strFromU8(sheet).matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, row = '']) =>
      [...row.matchAll(/<c r="([A-Z]+)\d+"[^>]*[^>/]>(.*?)<\/c>/gs)].map(([, letter = '', cell = '']) => [
        letter,
        cell.replaceAll(/<[^>]*>/g, '').replaceAll(/\$C\$?\d+/g, '$C'),
      ]),
    );
    const isSummary = name.endsWith('/sheet1.xml');
    const hidden = name.endsWith('/sheet2.xml') ? ORDERS : STANDING;
    const heads = isSummary
      ? {}
      : Object.fromEntries((rows[0] ?? []).map(([letter, head = '']) => [letter, head.toLowerCase()]));
    return rows
      .filter((row) => !(isSummary && /^(?:Exception|Books of)/.test(row[0]?.[1] ?? '')))
      .map(
        (row) =>
          `${name} ${without(Object.fromEntries(row.map(([letter = '', cell]) => [heads[letter] ?? letter, cell ?? ''])), hidden)}`,
      );
  });
}

/** Which amounts, dates and accounts a file of a month has, in no order. What is open is told as it was when it was written. */
export function normal(name: string, bytes: Uint8Array): string[] | null {
  if (/-breaks\./.test(name)) return null;
  const text = name.endsWith('.xlsx') ? '' : strFromU8(bytes);
  const hidden = name.includes('-orders.') ? ORDERS : STANDING;
  const found = () => {
    if (name.endsWith('.xlsx')) return cells(bytes);
    if (name.endsWith('-journal.csv')) return journal(text);
    if (name.startsWith('EXTF_')) return datev(text);
    if (name.endsWith('.csv'))
      return named(csvRows(text)).map((row) =>
        without(
          row,
          name.includes('-entries') || name.includes('-fees') ? hidden : hidden.filter((one) => one !== 'id'),
        ),
      );
    return name.endsWith('.ndjson') ? objects(text, hidden) : ledger(text);
  };
  return found().toSorted();
}
