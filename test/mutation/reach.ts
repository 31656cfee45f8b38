import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The test files that try a module, the nearest first. */
export interface Tests {
  files: string[];
  /** Some of them need the one cluster of a run. */
  database: boolean;
}

const IMPORTED = /^(?:import|export)\s(?!type\s)[^;]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm;
/** Too slow to play once for each mutant: the compiled program, a browser, a cluster of one's own, the chaos of all. What mocks a module mocks it for the files after it. */
const UNFIT = /vi\.mock\(|inject\('program'\)|playwright-core|createTestCluster|redis-server|run\.mjs/;
const KNEX = /from 'knex'/;
const DATABASE = /inject\('clusterUrl'\)/;
/** Whole drills of the product, minutes each. */
const DRILLS = /^test\/(chaos|docs|drills|deploy|machines)\//;
/** Imports beyond the nearest test: those further off cost much and notice little. */
const FAR = 2;
/** So many files with a database are played at most. */
const MOST_WITH_DATABASE = 4;

/** Files of a folder and of those in it, or the file itself, relative to where the process stands. */
export function filesUnder(place: string): string[] {
  if (place.endsWith('.ts')) return [place];
  const found = readdirSync(place, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return found.flatMap((one) => {
    const file = path.join(place, one.name);
    return one.isDirectory() ? filesUnder(file) : file.endsWith('.ts') ? [file] : [];
  });
}

/**
 * Chooses the tests of any module: those without a database that reach it through the fewest imports or some more, `most` of them. Where
 * none of them imports it itself, also those with a database that do; where none reaches it, or it asks a database, the nearest with one.
 * Of those that are named, whatever they are, each that reaches it.
 */
export function testChooser(
  folders: readonly string[],
  most: number,
): (module: string, named?: readonly string[]) => Tests {
  const read = new Map(folders.flatMap(filesUnder).map((file) => [file, readSource(file)]));
  const tests = [...read.keys()].filter((file) => file.endsWith('.test.ts'));
  const reached = tests.map((file) => {
    const distances = distancesFrom(file, read);
    const sources = [...distances.keys()].map((one) => read.get(one));
    const unfit = DRILLS.test(file) || sources.some((one) => one?.unfit);
    return { file, distances, unfit, database: sources.some((one) => one?.database) };
  });
  return (module, named = []) => {
    const name = path.basename(module, '.ts');
    const near = reached
      .filter(({ file, unfit }) => !unfit || named.includes(file))
      .map(({ file, distances, database }) => {
        const distance = distances.get(module) ?? Infinity;
        const test = path.basename(file);
        const isOwn = test === `${name}.test.ts` && distance < Infinity;
        // Of those as far off, the ones that are called so come first.
        return { file, database, distance: isOwn ? 0 : distance - (test.startsWith(`${name}-`) ? 0.5 : 0) };
      })
      .filter(({ distance }) => distance < Infinity)
      .toSorted((a, b) => a.distance - b.distance);
    const quick = near.filter(({ database }) => !database);
    const others = near.filter(({ database }) => database);
    const nearest = Math.max(1, quick[0]?.distance ?? 0);
    const chosen = quick.filter(({ distance }) => distance <= nearest + FAR).slice(0, most);
    const asksDatabase = read.get(module)?.knex ?? false;
    if (quick.length === 0 || nearest > 1) {
      const limit = quick.length > 0 && !asksDatabase ? 1 : (others[0]?.distance ?? 0);
      chosen.push(...others.filter(({ distance }) => distance <= limit).slice(0, MOST_WITH_DATABASE));
    }
    const all = [...new Set([...chosen, ...near.filter(({ file }) => named.includes(file))])];
    return { files: all.map(({ file }) => file), database: all.some(({ database }) => database) };
  };
}

type Source = ReturnType<typeof readSource>;

function readSource(file: string) {
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(IMPORTED)].map(([, a, b, c]) =>
    path.join(path.dirname(file), (a ?? b ?? c ?? '').replace(/\.js$/, '.ts')),
  );
  return { imports, unfit: UNFIT.test(text), database: DATABASE.test(text), knex: KNEX.test(text) };
}

/** How many imports lie between a file and each that it reaches. */
function distancesFrom(from: string, read: ReadonlyMap<string, Source>): Map<string, number> {
  const distances = new Map([[from, 0]]);
  for (const [file, distance] of distances)
    for (const next of read.get(file)?.imports ?? []) if (!distances.has(next)) distances.set(next, distance + 1);
  return distances;
}
