import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSameProcess } from '../../src/embedded-postgres/process.js';
import { report, until } from '../support/drill.js';
import { descendantsOf } from '../support/process-tree.js';
import { type CliProcess, runCli, startCli } from '../support/run-cli.js';

let cwd: string;
let demo: CliProcess;

beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'demo-'));
});
afterEach(async () => {
  demo.child.kill('SIGKILL');
  // The database of a demo that was killed ends a moment later.
  await rm(cwd, { recursive: true, force: true, maxRetries: 20 });
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

test('commands beside a demo use its database, its service and its receiver, and make no database', async () => {
  demo = startCli(['demo', '--payments', '15'], { cwd });
  await until('the demo runs', () => /^token /m.test(demo.output.stdout) || demo.output, { timeoutMs: 60_000 });
  await until('an event of the demo is listed', async () => {
    const { code, stdout, stderr } = await runCli(['events', 'list', '--json'], { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining('of the demo that runs here: http://127.0.0.1:')]);
    return (JSON.parse(stdout) as { items: unknown[] }).items.length > 0 || stdout;
  });
  expect((await runCli(['status'], { cwd })).stdout).toMatch(/last hour: [1-9]\d* received/);
  expect((await runCli(['trigger', 'payment_intent.completed'], { cwd })).stdout).toMatch(/^200 .*"received":true/);
  expect((await runCli(['api', 'listPublicAssets'], { cwd })).stdout).toContain('"assetCode"');
  demo.child.kill('SIGINT');
  expect(await demo.end(null)).toBe(130);
  expect(await readdir(cwd)).toEqual([]);
}, 120_000);

type Row = Record<string, unknown> & { severity?: string; proof?: { status: string } | null };

/** What README promises of the first two minutes, by the place in the read API where it is seen. */
const PROMISED: Record<string, [path: string, isThere: (row: Row) => boolean]> = {
  'a rejected request': ['rejections', () => true],
  'a missed delivery': ['deliveries?class=never_reached', () => true],
  'a phantom': ['deliveries?class=phantom', () => true],
  'an event that was never generated': ['breaks?kind=event_never_generated', () => true],
  'a balance that is proven': ['balances', ({ proof }) => proof?.status === 'agrees'],
  ...Object.fromEntries(
    ['critical', 'high', 'medium', 'low'].map((severity) => [
      `a break: ${severity}`,
      [`breaks?severity=${severity}`, () => true],
    ]),
  ),
};

test('within two minutes the demo shows all that the README promises', async () => {
  const began = performance.now();
  demo = startCli(['demo'], { cwd });
  const [, url = ''] = await demo.stdoutMatch(/^console +(\S+)$/m);
  const [, token = ''] = await demo.stdoutMatch(/^token +(\S+)$/m);
  const seconds: Record<string, number> = {};
  const look = async (name: string, [path, isThere]: (typeof PROMISED)[string]) => {
    if (name in seconds) return;
    const answer = await fetch(`${url}/api/v1/${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const { items } = (await answer.json()) as { items: Row[] };
    if (items.some(isThere)) seconds[name] = Math.round((performance.now() - began) / 100) / 10;
  };
  const names = Object.keys(PROMISED);
  await until(
    'all of it is seen',
    async () => {
      for (const [name, where] of Object.entries(PROMISED)) await look(name, where);
      return names.every((name) => name in seconds) || `lacks ${names.filter((name) => !(name in seconds)).join(', ')}`;
    },
    { timeoutMs: 120_000 - (performance.now() - began), intervalMs: 500 },
  );
  report('demo-promises', seconds);
  expect(await demo.end('SIGINT')).toBe(130);
}, 150_000);
