/**
 * `npm run build`, and `prepare`: compiles src/ to dist/ and copies what the console shows beside it. What runs from dist/ meanwhile
 * never misses a file: each is replaced in one step. With --if-older: only where dist/ is older than what it is made of. With a
 * folder: there instead.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const TURN_MS = 100;
/** Putting the files into place takes a fraction of a second; who holds its turn longer was killed. */
const TURNS = 100;

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const { values, positionals } = parseArgs({
  options: { 'if-older': { type: 'boolean' } },
  allowPositionals: true,
});

/** The clock of the newest of what dist/ is made of; of folders too, so that a removed file counts. */
function newestSource() {
  const names = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'build.mjs', 'src'];
  const below = readdirSync(path.join(root, 'src'), { recursive: true }).map((name) => path.join('src', name));
  return Math.max(...[...names, ...below].map((name) => statSync(path.join(root, name)).mtimeMs));
}

/** When the build began that a folder came from: what was saved since is not in it. */
function builtAt(folder) {
  return statSync(path.join(folder, 'cli.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isCurrent() {
  return builtAt(dist) > newestSource();
}

function compile(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const began = statSync(folder).mtime;
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // Types are for `npm run check`: half the time, and one mistake must not leave an installation without its program.
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const name of ['views', 'assets'])
    cpSync(path.join(root, 'src', 'console', name), path.join(folder, 'console', name), { recursive: true });
  const commit = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' });
  if (commit.status === 0) writeFileSync(path.join(folder, 'commit'), commit.stdout);
  // `npx tallyhook` makes it executable once, when it first links to it; another file takes its place with each build.
  chmodSync(path.join(folder, 'cli.js'), 0o755);
  utimesSync(path.join(folder, 'cli.js'), began, began);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

/** One build after the other. Of two the last one stays, and by its clock it is known whether that is the younger. */
async function putInPlace(made) {
  const turn = path.join(root, 'dist.new');
  for (let left = -1, unchanged = 0; ; ) {
    try {
      // No folder takes the place of one with something in it: whoever holds dist.new has the turn.
      renameSync(made, turn);
      break;
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    }
    await delay(TURN_MS);
    // Whoever has the turn takes file after file out of it. One that takes none was killed.
    const now = existsSync(turn) ? readdirSync(turn, { recursive: true }).length : 0;
    unchanged = now === left ? unchanged + 1 : 0;
    left = now;
    if (unchanged === TURNS) rmSync(turn, { recursive: true, force: true });
  }
  replaceEach(turn);
  renameSync(turn, made);
}

/** The file that says when it was built comes last: killed halfway, it is built again. */
function replaceEach(from) {
  const made = filesIn(from);
  const known = new Set(made);
  for (const name of [...made.filter((file) => file !== 'cli.js'), 'cli.js']) {
    mkdirSync(path.dirname(path.join(dist, name)), { recursive: true });
    renameSync(path.join(from, name), path.join(dist, name));
  }
  for (const name of filesIn(dist)) if (!known.has(name)) rmSync(path.join(dist, name), { force: true });
}

async function build([folder]) {
  if (folder !== undefined) {
    if (isCurrent()) cpSync(dist, folder, { recursive: true, preserveTimestamps: true });
    else compile(path.resolve(folder));
    return;
  }
  if (!existsSync(path.join(root, 'node_modules', 'typescript'))) {
    // Installed without what compiles: somebody else made dist/, and its clock says nothing here.
    if (existsSync(path.join(dist, 'cli.js'))) return;
    throw new Error(
      'There is no dist/ and nothing to compile it with: run `npm ci` without --omit=dev, then `npm run build`.',
    );
  }
  if (values['if-older'] && isCurrent()) return;
  const made = `${dist}.new-${process.pid}`;
  try {
    compile(made);
    await putInPlace(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

await build(positionals);
