import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSameProcess } from '../../src/embedded-postgres/process.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { descendantsOf } from '../support/process-tree.js';
import { type CliProcess, runCli, startCli } from '../support/run-cli.js';

/** How long customers pay before both sides are compared for the last time. */
const TRAFFIC_MS = isLong ? 180_000 : 0;
/** The exit code of `demo compare` before the first complete run. */
const NOT_YET = 2;
const FIRST_PAYMENT_MS = 60_000;
/** The pace of the demo as people start it; faster where there is little time. */
const PACE = isLong ? [] : ['--payments', '15'];
const PAYMENTS = isLong ? 500 : 20;

interface Comparison {
  asOf: string;
  compared: number;
  differences: unknown[];
}

let cwd: string;
let demos: CliProcess[];

beforeEach(async () => {
  demos = [];
  cwd = await mkdtemp(path.join(tmpdir(), 'demo-drill-'));
});
afterEach(async () => {
  for (const { child } of demos) child.kill('SIGTERM');
  await Promise.all(demos.map((demo) => demo.end(null)));
  await rm(cwd, { recursive: true, force: true });
});

test('the demo reaches a reconciled payment, both sides agree, and Ctrl-C leaves no process behind', {
  timeout: DRILL_MS,
}, async () => {
  const began = performance.now();
  const demo = startCli(['demo', ...PACE], { cwd });
  demos.push(demo);
  const first = /^first reconciled payment after ([\d.]+) s$/m;
  await until('the first reconciled payment', () => first.test(demo.output.stdout) || demo.output, {
    timeoutMs: FIRST_PAYMENT_MS,
  });
  for (const name of ['console', 'receiver', 'sandbox', 'token']) {
    expect(demo.output.stdout).toMatch(new RegExp(`^${name} +\\S+$`, 'm'));
  }

  const comparisons: Comparison[] = [];
  await until(
    'both sides are compared',
    async () => {
      const { code, stdout, stderr } = await runCli(['demo', 'compare', '--json'], { cwd });
      if (code === NOT_YET) return stderr;
      const comparison = JSON.parse(stdout) as Comparison;
      comparisons.push(comparison);
      const enough = comparison.compared >= PAYMENTS && performance.now() - began > TRAFFIC_MS;
      return enough || comparison.differences.length > 0 || `${comparison.compared} compared`;
    },
    { intervalMs: 1_000 },
  );
  expect(comparisons.flatMap(({ differences }) => differences)).toEqual([]);

  const children = descendantsOf(demo.child.pid ?? 0);
  expect(children.map(({ command }) => command)).toContainEqual(expect.stringMatching(/postgres/));
  expect(await demo.end('SIGINT')).toBe(130);
  expect(children.filter(({ identity }) => isSameProcess(identity))).toEqual([]);
  expect(await readdir(cwd)).toEqual([]);
  report('demo-drill', {
    'first reconciled payment after (s)': first.exec(demo.output.stdout)?.[1] ?? '?',
    compared: comparisons.at(-1)?.compared ?? 0,
    differences: 0,
    'processes left': `0 of ${children.length}`,
  });
});

const isOpen = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    () => false,
  );

test('two demos in one folder run side by side, and each takes away its own alone', { timeout: 120_000 }, async () => {
  const pair = [1, 2].map(() => startCli(['demo', '--payments', '1'], { cwd }));
  demos.push(...pair);
  const consoles = await Promise.all(
    pair.map(async (demo) => (await demo.stdoutMatch(/^console +(\S+)$[^]*^Ctrl-C/m))[1] ?? ''),
  );
  expect(new Set(consoles).size).toBe(2);
  expect(await Promise.all(consoles.map(isOpen))).toEqual([true, true]);
  const [first, second] = pair.map(({ child }) => descendantsOf(child.pid ?? 0));
  expect(first?.length).toBeGreaterThan(0);

  expect(await pair[0]?.end('SIGTERM')).toBe(0);
  expect(first?.filter(({ identity }) => isSameProcess(identity))).toEqual([]);
  expect(await Promise.all(consoles.map(isOpen))).toEqual([false, true]);
  expect(await readdir(path.join(cwd, '.tallyhook'))).toHaveLength(1);
  // The other one is still found: it says that nothing was compared yet, or what was.
  await until('the second is compared', async () => {
    const { code, stderr } = await runCli(['demo', 'compare'], { cwd });
    return code === 0 || code === 3 || stderr;
  });

  expect(await pair[1]?.end('SIGINT')).toBe(130);
  expect(second?.filter(({ identity }) => isSameProcess(identity))).toEqual([]);
  expect(await readdir(cwd)).toEqual([]);
  expect((await runCli(['demo', 'compare'], { cwd })).stderr).toContain('No demo runs in this folder');
});
