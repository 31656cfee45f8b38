import type { Knex } from 'knex';
import type { MonthValue } from '../domain/books/carried-report.js';
import type { Chart } from '../domain/books/chart.js';
import { dayIn } from '../domain/books/posting-month.js';
import { doubtfulRates } from '../domain/books/rate-doubts.js';
import { type RateEffect, rateEffects, ratesByAsset } from '../domain/books/rate-effects.js';
import { assetsNamed, type GivenRate, readRatesFile } from '../domain/books/rates-file.js';
import { hashOfText } from '../domain/canonical-json.js';
import { shortened } from '../domain/in-words.js';
import { type Approval, recordAction } from '../records/actions/record-action.js';
import { accountValues } from '../records/books/account-totals.js';
import { importRates } from '../records/books/entry-rates.js';
import { knownBeside, monthsOfDays, seenAssets } from '../records/books/given-rates.js';
import { closedMonths, lockBooks } from '../records/books/posting-progress.js';
import { inTransaction, type Trx } from '../records/database/statements.js';
import { oneMoment } from './posting-deps.js';

export type ImportResult =
  /** `valued`: entries of open months that have another rate now, or would have. `accepted`: what would be asked about if it were not accepted. `replaced`: what was given before for the same days. `effects`: what open months come to by them. `assets`: how many rates of each, in words. */
  | {
      outcome: 'done' | 'would';
      rates: number;
      valued: number;
      closed: string[];
      accepted: string[];
      replaced: string[];
      effects: RateEffect[];
      assets: string[];
    }
  /** Nothing was taken. Each problem names its line. `asks`: a person who looked at them may accept them. */
  | { outcome: 'refused' | 'asks'; problems: string[] };

const MOST_DOUBTS = 20;

interface Importing {
  db: Knex;
  now: Date;
  timeZone: string;
  /** In which the books are valued. */
  currency: string;
  chart: Chart;
  actor: string;
  /** Why, in the actor’s words. */
  reason?: string | null;
  approval?: Approval;
  dryRun: boolean;
  /** Which rates are taken though they are far from what else is known: lines of the file, days and assets as 2026-10-20:BTC, months and assets as 2026-10:BTC, or months. */
  accepted?: readonly string[];
}

/** Takes the rates of a file of finance, all or none, and values by them what is posted in open months. A dry run does, and keeps nothing. */
export async function importRatesFile(text: string, deps: Importing): Promise<ImportResult> {
  const { db, now, timeZone, currency, chart, actor, dryRun, accepted: named = [], reason = null, approval } = deps;
  const seen = await seenAssets(db, assetsNamed(text));
  const { rates, problems } = readRatesFile(text, { today: dayIn(timeZone, now.getTime()), currency, seen });
  if (problems.length > 0) return { outcome: 'refused', problems };
  const known = await knownBeside(db, rates, { timeZone });
  const { accepted, asked, unfounded } = doubtfulRates(rates, known, named);
  const replaced = rates.flatMap(({ line, assetCode, rate, date }, n) => {
    const before = known[n]?.given ?? rate;
    return before === rate
      ? []
      : [`line ${line}: ${rate} for ${assetCode} takes the place of ${before}, which was given before for ${date}`];
  });
  const notAsked = unfounded.map((name) => `${name.slice(0, 60)}: nothing is asked about it`);
  if (notAsked.length > 0) return { outcome: 'refused', problems: notAsked.slice(0, MOST_DOUBTS) };
  if (asked.length > 0) return { outcome: 'asks', problems: shortened(asked, MOST_DOUBTS) };
  const fileHash = hashOfText(text);
  const taken = async (trx: Trx): Promise<ImportResult> => {
    await lockBooks(trx);
    const months = await monthsOfDays(trx, rates);
    const before = await valuesOf(trx, months, currency);
    const { valued } = await importRates(trx, rates, { actor, fileHash });
    const effects = rateEffects(before, await valuesOf(trx, months, currency), { currency, chart });
    const closed = await linesOfClosed(trx, rates);
    const details = { valued, rates: rates.length, fileHash, ...(accepted.length > 0 ? { accepted } : {}) };
    await recordAction(trx, { actor, action: 'import rates', reason, details, approval, outcome: 'done' });
    return {
      outcome: dryRun ? 'would' : 'done',
      rates: rates.length,
      valued,
      closed,
      accepted,
      replaced,
      effects,
      assets: ratesByAsset(rates),
    };
  };
  return inTransaction(db, dryRun, taken, oneMoment);
}

async function valuesOf(trx: Knex, months: readonly string[], currency: string): Promise<MonthValue[]> {
  const found: MonthValue[] = [];
  for (const month of months) found.push(...(await accountValues(trx, month, currency)));
  return found;
}

/** Lines of closed months, by month: what is posted there keeps its value. */
async function linesOfClosed(trx: Knex, rates: readonly GivenRate[]): Promise<string[]> {
  const closed = await closedMonths(trx);
  const months = [...new Set(rates.map(({ date }) => date.slice(0, 7)))].filter((month) => closed.has(month)).sort();
  return months.map((month) => {
    const lines = rates.filter(({ date }) => date.startsWith(month)).map(({ line }) => line);
    const named = lines.length === 1 ? `line ${lines[0]}` : `lines ${Math.min(...lines)} to ${Math.max(...lines)}`;
    return `${named}: ${month} is closed, and what is posted there keeps its value`;
  });
}
