import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSameProcess } from '../../src/embedded-postgres/process.js';
import { until } from '../support/drill.js';
import { descendantsOf } from '../support/process-tree.js';
import { type CliProcess, runCli, startCli } from '../support/run-cli.js';

let cwd: string;
let demo: CliProcess;

beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'demo-'));
});
afterEach(async () => {
  demo.child.kill('SIGKILL');
  await rm(cwd, { recursive: true, force: true });
});

test('a demo that can’t start leaves nothing behind', async () => {
  // From the sandbox on nobody gets a port: by then the database runs.
  const refuse = `import { Server } from 'node:http';
    Server.prototype.listen = function () {
      setImmediate(() => this.emit('error', new Error('no port for anybody')));
      return this;
    };`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(refuse)}` };
  demo = startCli(['demo'], { cwd, env });
  const children: ReturnType<typeof descendantsOf> = [];
  const seen = setInterval(() => children.push(...descendantsOf(demo.child.pid ?? 0)), 20);
  expect(await demo.end(null)).toBe(1);
  clearInterval(seen);
  expect(demo.output.stderr).toContain('no port for anybody');
  expect(children.map(({ command }) => command)).toContainEqual(expect.stringMatching(/postgres/));
  expect(children.filter(({ identity }) => isSameProcess(identity))).toEqual([]);
  expect(await readdir(cwd)).toEqual([]);
});

test('what commands say beside a demo is of its database, and they make no other', async () => {
  demo = startCli(['demo', '--payments', '15'], { cwd });
  await until('the demo runs', () => /^token /m.test(demo.output.stdout) || demo.output, { timeoutMs: 60_000 });
  await until('an event of the demo is listed', async () => {
    const { code, stdout, stderr } = await runCli(['events', 'list', '--json'], { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining('of the demo that runs here: http://127.0.0.1:')]);
    return (JSON.parse(stdout) as { items: unknown[] }).items.length > 0 || stdout;
  });
  expect((await runCli(['status'], { cwd })).stdout).toMatch(/last hour: [1-9]\d* received/);
  demo.child.kill('SIGINT');
  expect(await demo.end(null)).toBe(130);
  expect(await readdir(cwd)).toEqual([]);
}, 120_000);
