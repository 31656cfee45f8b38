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
const FIRST_PAYMENT_MS = 60_000;

interface Comparison {
  asOf: string;
  compared: number;
  differences: unknown[];
}

let cwd: string;
let demo: CliProcess;

beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'demo-drill-'));
});
afterEach(async () => {
  await demo?.end('SIGTERM');
  await rm(cwd, { recursive: true, force: true });
});

test('the demo reaches a reconciled payment, both sides agree, and Ctrl-C leaves no process behind', {
  timeout: DRILL_MS,
}, async () => {
  const began = performance.now();
  demo = startCli(['demo'], { cwd });
  const first = /^first reconciled payment after ([\d.]+) s$/m;
  await until('the first reconciled payment', () => first.test(demo.output.stdout) || demo.output, {
    timeoutMs: FIRST_PAYMENT_MS,
  });
  for (const name of ['console', 'receiver', 'sandbox', 'token']) {
    expect(demo.output.stdout).toMatch(new RegExp(`^${name} +\\S+$`, 'm'));
  }

  let last: Comparison | null = null;
  await until(
    'both sides are compared',
    async () => {
      const { code, stdout, stderr } = await runCli(['demo', 'compare', '--json'], { cwd });
      if (code === 2) return stderr;
      last = JSON.parse(stdout) as Comparison;
      expect(last.differences).toEqual([]);
      expect(code).toBe(0);
      return last.compared > 0 && performance.now() - began > TRAFFIC_MS;
    },
    { intervalMs: 1_000 },
  );

  const children = descendantsOf(demo.child.pid ?? 0);
  expect(children.map(({ command }) => command)).toContainEqual(expect.stringMatching(/postgres/));
  expect(await demo.end('SIGINT')).toBe(130);
  expect(children.filter(({ identity }) => isSameProcess(identity))).toEqual([]);
  expect(await readdir(path.join(cwd, '.tallyhook'))).toEqual([]);
  report('demo-drill', {
    'first reconciled payment after (s)': first.exec(demo.output.stdout)?.[1] ?? '?',
    compared: last === null ? 0 : (last as Comparison).compared,
    differences: 0,
    'processes left': `0 of ${children.length}`,
  });
});
