import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type Verdict = 'killed' | 'timed out' | 'survived';

export interface Result {
  module: string;
  line: number;
  /** The mutant's. */
  name: string;
  /** Of the module's text. */
  source: string;
  /** Of the texts of its tests. */
  tests: string;
  verdict: Verdict;
  /** The test that noticed it. */
  by: string | null;
}

export const hash = (...texts: string[]): string =>
  createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 16);

/** What is known so far, one line of JSON each, in a file that only grows. */
export function openResults(file: string) {
  mkdirSync(path.dirname(file), { recursive: true });
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : [];
  const known = new Map(lines.map((line) => JSON.parse(line) as Result).map((one) => [keyOf(one), one]));
  return {
    /** The result of the same mutant of the same text; one that survived stands only as long as the tests are the same. */
    find(mutant: Pick<Result, 'module' | 'name' | 'source' | 'tests'>): Result | undefined {
      const found = known.get(keyOf(mutant));
      return found?.verdict === 'survived' && found.tests !== mutant.tests ? undefined : found;
    },
    add(result: Result): void {
      known.set(keyOf(result), result);
      appendFileSync(file, `${JSON.stringify(result)}\n`);
    },
  };
}

const keyOf = ({ module, name, source }: Pick<Result, 'module' | 'name' | 'source'>): string =>
  [module, source, name].join('\0');

/** A survivor that a person checked: why no test can notice it, or need not. */
export interface Explained {
  module: string;
  name: string;
  reason: string;
}

const ROW = /^\|\s*`(?<module>[^`]+)`\s*\|\s*`(?<name>[^`]+)`\s*\|\s*(?<reason>.+?)\s*\|$/;

/** Rows of a table of Markdown: module, mutant, reason. A bar in a mutant is written with a stroke before it. */
export function readSurvivors(file: string): Explained[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => ROW.exec(line)?.groups)
    .filter((row) => row !== undefined)
    .map(({ module, name, reason }) => ({
      module: module!,
      name: name!.replaceAll(String.raw`\|`, '|'),
      reason: reason!,
    }));
}

export const survivorRow = ({ module, name, reason }: Explained): string =>
  `| \`${module}\` | \`${name.replaceAll('|', String.raw`\|`)}\` | ${reason} |`;
