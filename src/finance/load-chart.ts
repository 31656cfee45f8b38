import { readFile } from 'node:fs/promises';
import { type Chart, chartSchema, defaultChart } from '../domain/books/chart.js';
import { plain } from '../domain/json.js';
import { JsonTextError, parseJson } from '../domain/json-table/read-table.js';
import { ConfigError } from '../errors.js';

/** The merchant's names for the accounts; without a file our own. @throws {ConfigError} where it can't be read, or is wrong. */
export async function loadChart(file?: string): Promise<Chart> {
  if (file === undefined) return defaultChart;
  const parsed = chartSchema.safeParse(await readJson(file));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw new ConfigError([`CHART_FILE (${file})`, ...lines].join('\n    '));
}

async function readJson(file: string): Promise<unknown> {
  try {
    return plain(parseJson(await readFile(file, 'utf8'), 5));
  } catch (error) {
    if (error instanceof JsonTextError) throw new ConfigError(`CHART_FILE: ${file} is not JSON: ${error.message}`);
    throw new ConfigError(`CHART_FILE: ${file} can't be read`, { cause: error });
  }
}
