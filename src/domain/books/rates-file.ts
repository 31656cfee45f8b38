import { isAssetCode } from '../asset-code.js';
import { isAmount, isZero, normalizeAmount } from '../money.js';
import { isDay } from './posting-month.js';

export interface GivenRate {
  /** YYYY-MM-DD, a day of the books' zone. */
  date: string;
  assetCode: string;
  currency: string;
  /** Decimal string above zero: what one unit of the asset is worth. */
  rate: string;
  /** Of the file, from 1. */
  line: number;
}

export interface RatesSettings {
  /** In the books' zone: a rate of a later day can't be known. */
  today: string;
  /** In which the books are valued: a rate in another would value nothing. */
  currency: string;
  /** Of the assets that it names, those that something here was ever of: of another it would value nothing. */
  seen: ReadonlySet<string>;
}

const HEADER = ['date', 'asset', 'currency', 'rate'];
const MOST_PROBLEMS = 20;

/** What its lines give for assets, whatever else is wrong with them: so that those can be searched for before it is read. */
export function assetsNamed(text: string): string[] {
  const [, ...lines] = linesOf(text);
  return [...new Set(lines.map((line) => cellsOf(line)[1] ?? '').filter(isAssetCode))];
}

/** A file of which only the rates are to be filled in. */
export function fileToFill(days: readonly { date: string; assetCode: string }[], currency: string): string {
  return [HEADER.join(','), ...days.map(({ date, assetCode }) => `${date},${assetCode},${currency},`)].join('\n');
}

/** CSV with the header `date,asset,currency,rate`. `problems` name the line, from 1; where there is one, nothing is to be taken. */
export function readRatesFile(text: string, settings: RatesSettings): { rates: GivenRate[]; problems: string[] } {
  const lines = linesOf(text);
  const found = { rates: [] as GivenRate[], problems: [] as string[] };
  const places = new Map<string, number>();
  const header = cellsOf(lines[0] ?? '');
  if (header.join() !== HEADER.join()) return { rates: [], problems: [`line 1: the header is ${HEADER.join(',')}`] };
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue;
    const read = readLine(cellsOf(line), settings);
    if (typeof read === 'string') {
      found.problems.push(`line ${index + 1}: ${read}`);
    } else {
      const key = JSON.stringify([read.date, read.assetCode, read.currency]);
      const before = places.get(key);
      if (before !== undefined)
        found.problems.push(`line ${index + 1}: the same day, asset and currency as line ${before}`);
      places.set(key, index + 1);
      found.rates.push({ ...read, line: index + 1 });
    }
    if (found.problems.length >= MOST_PROBLEMS) return { ...found, rates: [] };
  }
  if (found.rates.length === 0 && found.problems.length === 0) found.problems.push('line 2: there is no rate');
  return found.problems.length === 0 ? found : { ...found, rates: [] };
}

function readLine(cells: readonly string[], settings: RatesSettings): Omit<GivenRate, 'line'> | string {
  if (cells.length !== HEADER.length) return `${cells.length} cells; date,asset,currency,rate are four`;
  const [date = '', assetCode = '', currency = '', rate = ''] = cells;
  if (!isDay(date)) return `"${date}" is no day such as 2026-10-31`;
  if (date > settings.today) return `${date} is in the future`;
  if (!isAssetCode(assetCode)) return `"${assetCode}" is no asset such as USDT.TRON`;
  if (!/^[A-Z]{3}$/.test(currency)) return `"${currency}" is no currency such as USD`;
  if (rate.startsWith('-')) return `the rate ${rate} is negative`;
  const given: string = rate;
  if (!isAmount(rate)) return `"${given}" is no decimal number such as 1.0834`;
  if (isZero(rate)) return 'the rate is zero; leave the line out where there is no rate';
  if (!settings.seen.has(assetCode))
    return `${assetCode} was never seen here: not in the catalog, nor in a balance, a movement or the books`;
  if (currency !== settings.currency)
    return `${currency} is not the currency of the books: REPORTING_CURRENCY is ${settings.currency}`;
  return { date, assetCode, currency, rate: normalizeAmount(rate) };
}

const linesOf = (text: string): string[] => text.replace(/^\uFEFF/, '').split(/\r?\n/);

const cellsOf = (line: string): string[] => line.split(',').map((cell) => cell.trim().replace(/^"([^"]*)"$/, '$1'));
