import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type Mutant, mutantsOf } from './mutants.js';
import { createPlayer, type Player } from './player.js';
import { filesUnder, type Tests, testChooser } from './reach.js';
import { type Explained, hash, openResults, type Result, readSurvivors, survivorRow, type Verdict } from './results.js';
import { groupsOf, testsNamedFor } from './targets.js';

interface Sampled {
  module: string;
  source: string;
  mutants: Mutant[];
}

interface Group {
  name: string;
  /** How many there are before any is sampled. */
  total: number;
  modules: Sampled[];
}

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Plays mutants of the places given, or of all targets; the answer is the exit code: 0 where each survivor is explained. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      sample: { type: 'string', default: '60' },
      all: { type: 'boolean', default: false },
      /** of tests, for each module */
      files: { type: 'string', default: '20' },
      /** ms that a mutant may take beside what its tests take without it, three times */
      patience: { type: 'string', default: '15000' },
      results: { type: 'string', default: '.mutation/results.jsonl' },
      survivors: { type: 'string', default: 'test/mutation/survivors.md' },
    },
  });
  const explained = readSurvivors(values.survivors);
  const groups = groupsOf(positionals).map(({ name, places }) =>
    sampled(name, places, values.seed, values.all ? Infinity : Number(values.sample)),
  );
  const results: { group: Group; found: Result[] }[] = [];
  const known = openResults(values.results);
  const testsOf = testChooser(['src', 'test'], Number(values.files));
  const players = { quick: createPlayer(false), database: createPlayer(true) };
  const session: Session = { known, players, rehearsed: new Map(), patience: Number(values.patience) };
  try {
    for (const group of groups) {
      const found: Result[] = [];
      for (const sample of group.modules) {
        const tests = testsOf(sample.module, testsNamedFor(sample.module));
        found.push(...(await playModule(sample, tests, session)));
      }
      results.push({ group, found });
    }
  } finally {
    await Promise.all([players.quick.close(), players.database.close()]);
  }
  return report(results, explained);
}

/** So many mutants of these files: those that come first by a hash, so that a larger sample holds the smaller one. */
function sampled(name: string, places: readonly string[], seed: string, size: number): Group {
  const modules = places.flatMap(filesUnder).filter((file) => !file.endsWith('.test.ts'));
  const all = modules.flatMap((module) => {
    const source = readFileSync(module, 'utf8');
    return mutantsOf(source).map((mutant) => ({ module, source, mutant, rank: hash(seed, module, mutant.name) }));
  });
  const chosen = new Set(all.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, size));
  return {
    name,
    total: all.length,
    modules: modules.map((module) => ({
      module,
      source: all.find((one) => one.module === module)?.source ?? '',
      mutants: all.filter((one) => one.module === module && chosen.has(one)).map(({ mutant }) => mutant),
    })),
  };
}

/** What goes from one module to the next. */
interface Session {
  known: ReturnType<typeof openResults>;
  players: Record<'quick' | 'database', Player>;
  /** ms that each test file took without a mutant; those that are here passed. */
  rehearsed: Map<string, number>;
  patience: number;
}

async function playModule({ module, source, mutants }: Sampled, tests: Tests, session: Session): Promise<Result[]> {
  const ids = {
    module,
    source: hash(source),
    tests: hash(...tests.files.map((file) => readFileSync(file, 'utf8'))),
  };
  const before = mutants.map((mutant) => session.known.find({ ...ids, name: mutant.name }));
  if (before.every((one) => one !== undefined)) return before;
  const player = session.players[tests.database ? 'database' : 'quick'];
  const rounds = await rehearse(player, module, tests.files, session);
  if (rounds === null) return [];
  const found: Result[] = [];
  for (const [i, mutant] of mutants.entries()) {
    const result = before[i] ?? { ...ids, ...(await playMutant(player, module, mutant, rounds)) };
    if (!before[i]) session.known.add(result);
    if (!before[i]) print(`${result.verdict.padEnd(9)} ${module}:${mutant.line} ${mutant.name}`);
    found.push(result);
  }
  return found;
}

interface Rounds {
  /** What each test file took, ms, halved whenever it noticed a mutant: the least comes first. */
  costs: Map<string, number>;
  /** ms */
  limit: number;
}

/** Every file passes without a mutant, or nothing is said about any (null). */
async function rehearse(player: Player, module: string, files: string[], session: Session): Promise<Rounds | null> {
  const { rehearsed, patience } = session;
  const fresh = files.filter((file) => !rehearsed.has(file));
  if (fresh.length > 0) {
    const played = await player.play({ module, change: null, files: fresh }, 600_000);
    if (played === 'late' || played.failed !== null || fresh.some((file) => played.took[file] === undefined)) {
      print(`left out  ${module}: without a mutant, ${JSON.stringify(played)}`);
      return null;
    }
    for (const file of fresh) rehearsed.set(file, played.took[file] ?? 0);
  }
  const took = files.reduce((sum, file) => sum + (rehearsed.get(file) ?? 0), 0);
  print(`${module}: ${files.length} test files, ${Math.round(took / 100) / 10} s`);
  return { costs: new Map(files.map((file) => [file, rehearsed.get(file) ?? 0])), limit: patience + 3 * took };
}

async function playMutant(
  player: Player,
  module: string,
  { start, end, replacement, line, name }: Mutant,
  rounds: Rounds,
): Promise<Pick<Result, 'line' | 'name' | 'verdict' | 'by'>> {
  const said = (verdict: Verdict, by: string | null) => ({ line, name, verdict, by });
  const { costs, limit } = rounds;
  if (costs.size === 0) return said('survived', null);
  const files = [...costs.keys()].toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0));
  const order = { module, change: { start, end, replacement }, files };
  const played = await player.play(order, limit);
  if (played === 'late') return said('timed out', null);
  const { failed, passed } = played;
  if (failed === null && passed === 0) throw new Error(`${module}: no test was run with ${name}`);
  if (failed === null) return said('survived', null);
  costs.set(failed.file, (costs.get(failed.file) ?? 0) / 2);
  return said('killed', `${failed.file}: ${failed.test}`);
}

function report(results: readonly { group: Group; found: Result[] }[], explained: readonly Explained[]): number {
  const reasonOf = ({ module, name }: Pick<Result, 'module' | 'name'>) =>
    explained.find((one) => one.module === module && one.name === name)?.reason;
  const head = ['', 'mutants', 'tried', 'killed', 'timed out', 'survived', 'explained', 'killed, %'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const { group, found } of results) {
    const count = (verdict: Verdict) => found.filter((one) => one.verdict === verdict).length;
    const survived = found.filter((one) => one.verdict === 'survived');
    const known = survived.filter(reasonOf).length;
    const noticed = found.length - survived.length;
    const share = found.length === known ? 100 : (100 * noticed) / (found.length - known);
    table.push([
      group.name,
      group.total,
      found.length,
      count('killed'),
      count('timed out'),
      survived.length,
      known,
      share.toFixed(1),
    ]);
  }
  print(table.toString());
  const open = results.flatMap(({ found }) => found).filter((one) => one.verdict === 'survived' && !reasonOf(one));
  for (const one of open) print(`survived: ${one.module}:${one.line}\n${survivorRow({ ...one, reason: '' })}`);
  const listed = explained.filter((one) => !stillSurvives(one, results));
  for (const one of listed) print(`listed, and no survivor any more: ${survivorRow(one)}`);
  return open.length === 0 && listed.length === 0 ? 0 : 1;
}

/** Nothing says that it doesn't: its module was not tried, or it was not in the sample. */
function stillSurvives({ module, name }: Explained, results: readonly { group: Group; found: Result[] }[]): boolean {
  const tried = results.flatMap(({ group }) => group.modules).find((one) => one.module === module);
  if (!tried) return true;
  const result = results.flatMap(({ found }) => found).find((one) => one.module === module && one.name === name);
  if (result) return result.verdict === 'survived';
  return mutantsOf(tried.source).some((one) => one.name === name);
}
