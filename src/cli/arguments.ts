import { type Command, InvalidArgumentError } from 'commander';
import { isDay, isMonth } from '../domain/books/posting-month.js';
import { UsageError } from '../errors.js';
import { maximumTake } from '../records/database/paging.js';

/** Words that many verbs have. */
export interface Flags {
  json?: boolean;
  dryRun?: boolean;
  note?: string;
}

/** The words that every list has. */
export function listFlags(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--take <n>', `how many, up to ${maximumTake}`, wholeNumber(1, maximumTake))
    .option('--cursor <cursor>', 'go on where an earlier list stopped');
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Accepted is a whole number from ${least} to ${most}.`);
  };
}

const WHY = 'why; kept with your name';
const ONLY_SAY = 'only say what would be done';

/** What a verb that changes something has; `dryRun`: what is said of that flag. */
export function changeFlags(command: Command, dryRun = ONLY_SAY): Command {
  return command.option('--note <text>', WHY).option('--dry-run', dryRun).option('--json', 'print JSON');
}

/** The same of what must be given a reason. */
export function reasonedFlags(command: Command, dryRun = ONLY_SAY): Command {
  return command.requiredOption('--note <text>', WHY).option('--dry-run', dryRun).option('--json', 'print JSON');
}

/** @throws {UsageError} where the reason is blank */
export function checkNote(note: string): void {
  if (note.trim() === '') throw new UsageError('--note is empty: say why, in a few words.');
}

/** A month of the books, YYYY-MM. */
export function month(text: string): string {
  if (isMonth(text)) return text;
  throw new InvalidArgumentError('Accepted is a month such as 2026-10.');
}

/** A day of the books, YYYY-MM-DD. */
export function day(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('Accepted is a day such as 2026-10-31.');
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment to come: in `2h`, or an ISO 8601 date. */
export function momentToCome(text: string): Date {
  const at = moment(text);
  return /^\d+[mhd]$/.test(text) ? new Date(2 * Date.now() - at.getTime()) : at;
}

/** A moment: `24h` ago, or an ISO 8601 date. */
export function moment(text: string): Date {
  const ago = /^(\d{1,6})([mhd])$/.exec(text);
  if (ago) return new Date(Date.now() - Number(ago[1]) * UNITS[ago[2] as keyof typeof UNITS]);
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('Accepted is a time such as 30m, 24h, 7d or 2026-10-31.');
  return date;
}
