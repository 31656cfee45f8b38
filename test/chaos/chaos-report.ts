import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Outcome } from './scenario.js';
import type { Verdict } from './verdict.js';

/** A scenario as it is kept: in a file, a line of JSON each, so that a run that was cut off goes on where it was. */
export interface Row {
  seed: number;
  queue: string;
  /** With a question mark where nobody noticed it. */
  faults: string[];
  events: number;
  answers: Record<string, number>;
  wrong: Record<keyof Verdict, number>;
  /** Some of what was wrong, in words. */
  found: string[];
  receiverMb: number;
  seconds: number;
  /** Why it did not come to its end. */
  error: string | null;
}

const CLEAN: Row['wrong'] = {
  lost: 0,
  twice: 0,
  differing: 0,
  forged: 0,
  answers: 0,
  died: 0,
  alarms: 0,
  memory: 0,
};

const COLUMNS: readonly (keyof Verdict)[] = ['lost', 'twice', 'differing', 'forged', 'answers', 'died', 'alarms'];

export function rowOf({ plan, verdict, noticed, ...numbers }: Outcome): Row {
  const wrong = Object.entries<string[]>({ ...verdict }).map(([name, found]) => [name, found.length]);
  return {
    seed: plan.seed,
    queue: plan.queue,
    faults: plan.faults.map((name, n) => (noticed[n] ? name : `${name}?`)),
    events: numbers.events,
    answers: numbers.answers,
    wrong: Object.fromEntries(wrong) as Row['wrong'],
    found: Object.entries<string[]>({ ...verdict }).flatMap(([name, found]) =>
      found.slice(0, 5).map((one) => `${name}: ${one}`),
    ),
    receiverMb: Math.round(numbers.receiverMb),
    seconds: Math.round(numbers.seconds),
    error: null,
  };
}

export function failedRow({ plan, error }: { plan: Outcome['plan']; error: unknown }): Row {
  const { seed, queue, faults } = plan;
  const text = error instanceof Error ? error.message : String(error);
  const nothing = { events: 0, answers: {}, wrong: CLEAN, found: [], receiverMb: 0, seconds: 0 };
  return { seed, queue, faults: [...faults], ...nothing, error: text.slice(0, 500) };
}

/** Scenarios that were played to their end by earlier runs into the same file. */
export function readRows(file: string | undefined): Row[] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Row).filter(({ error }) => error === null);
}

export function keepRow(file: string | undefined, row: Row): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

export const HEADER = `${['seed', 'queue'].map((name) => name.padEnd(9)).join('')}${[...COLUMNS, 'events', 'MB', 's']
  .map((name) => name.padStart(10))
  .join('')}  faults\n`;

/** One line of the table that grows while the scenarios are played. */
export function line({ seed, queue, wrong, events, receiverMb, seconds, faults, error }: Row): string {
  const cells = [...COLUMNS.map((name) => wrong[name]), events, receiverMb, seconds].map((n) => String(n).padStart(10));
  const said = error === null ? faults.join(', ') : `${faults.join(', ')}: ${error}`;
  return `${String(seed).padEnd(9)}${queue.padEnd(9)}${cells.join('')}  ${said}\n`;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => a.localeCompare(b);

/** The whole of it, for docs/performance.md. */
export function summary(rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const answers = new Map<string, number>();
  const faults = new Map<string, { injected: number; noticed: number }>();
  for (const row of rows) {
    for (const [status, n] of Object.entries(row.answers)) answers.set(status, (answers.get(status) ?? 0) + n);
    for (const fault of row.faults) {
      const name = fault.replace('?', '');
      const { injected, noticed } = faults.get(name) ?? { injected: 0, noticed: 0 };
      faults.set(name, { injected: injected + 1, noticed: noticed + (fault.endsWith('?') ? 0 : 1) });
    }
  }
  return [
    `scenarios ${rows.length}, seeds ${rows.map(({ seed }) => seed).join(' ')}`,
    `not played to their end ${rows.filter(({ error }) => error !== null).length}`,
    `events stored ${sum(({ events }) => events)}`,
    `answers ${JSON.stringify(Object.fromEntries([...answers].sort(byName)))}`,
    ...[...COLUMNS, 'memory' as const].map((name) => `${name} ${sum(({ wrong }) => wrong[name])}`),
    `most that a receiver held ${Math.max(0, ...rows.map(({ receiverMb }) => receiverMb))} MB`,
    `hours ${(sum(({ seconds }) => seconds) / 3_600).toFixed(2)}`,
    '',
    '| fault | injected | noticed |',
    '|---|---:|---:|',
    ...[...faults].sort(byName).map(([name, { injected, noticed }]) => `| ${name} | ${injected} | ${noticed} |`),
    '',
  ].join('\n');
}

export function writeSummary(file: string | undefined, rows: readonly Row[]): void {
  if (file !== undefined) writeFileSync(`${file}.md`, summary(rows));
}
