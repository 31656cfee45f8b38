import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Comma, quotes, UTF-8, formulas by their results, numbers with all their digits, every sheet by itself. */
const EACH_SHEET = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1';
const STARTS_WITHIN_MS = 180_000;

/** What LibreOffice reads in a workbook: the cells of each sheet by its name. */
export async function readByLibreOffice(file: string): Promise<Map<string, string[][]>> {
  const dir = path.dirname(file);
  const profile = `-env:UserInstallation=file://${dir}/profile`;
  const words = [profile, '--headless', '--convert-to', EACH_SHEET, '--outdir', dir, file];
  await run('soffice', words, { timeout: STARTS_WITHIN_MS });
  const start = `${path.basename(file, '.xlsx')}-`;
  const names = (await readdir(dir)).filter((name) => name.startsWith(start) && name.endsWith('.csv'));
  const sheets = names.map(async (name): Promise<[string, string[][]]> => {
    return [name.slice(start.length, -'.csv'.length), rowsOf(await readFile(path.join(dir, name), 'utf8'))];
  });
  return new Map(await Promise.all(sheets));
}

function rowsOf(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\n') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.some((cell) => cell !== ''));
}
