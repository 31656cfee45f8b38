import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { commandsUnder, createReader } from './run-document.js';

let cwd: string;
const running: CliProcess[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'first-shop-'));
});
afterEach(async () => {
  // The one that was started last leaves first: the database stops with it.
  for (const one of running.splice(0).toReversed()) await one.end('SIGTERM');
  await rm(cwd, { recursive: true, force: true });
});

/** What is typed in each of the three terminals, with ports that are free here and the program that is tried. */
async function terminals(): Promise<{ sandbox: string; tallyhook: string; shop: string; env: Record<string, string> }> {
  const [service, receiver, console] = await Promise.all([freePort(null), freePort(null), freePort(null)]);
  const typed = commandsUnder('docs/sandbox.md', 'Your shop beside the sandbox, in ten minutes').map((text) =>
    text
      .replaceAll('npx tallyhook', 'tallyhook')
      .replaceAll('4010', String(service))
      .replaceAll('8080', String(receiver))
      .replaceAll('8081', String(console)),
  );
  expect(typed).toHaveLength(3);
  const [sandbox = '', tallyhook = '', shop = ''] = typed;
  return {
    sandbox,
    tallyhook,
    shop,
    env: { PORT: String(receiver), CONSOLE_PORT: String(console), HOST: '127.0.0.1' },
  };
}

test('a stranger has a shop of their own beside the sandbox, by what docs/sandbox.md says', {
  timeout: DRILL_MS,
}, async () => {
  const began = performance.now();
  const { sandbox, tallyhook, shop, env } = await terminals();
  const { types } = await createReader({ cwd, env: {} });
  const first = startCli(sandbox.trim().split(' ').slice(1), { cwd });
  running.push(first);
  await first.stdoutMatch(/^sandbox +http/m);

  expect(tallyhook).toMatch(/npm start\n$/);
  await types(tallyhook.replace('npm start\n', ''));
  const second = startCli(['start'], { cwd, env });
  running.push(second);
  await second.stdoutMatch(/^console +http/m);

  const lines = shop.split('\n');
  const asked = lines.findIndex((line) => line.startsWith('sleep '));
  expect(asked).toBeGreaterThan(0);
  // Findings are no failure: the shell of a person goes on.
  await types(lines.slice(0, asked).join('\n').replace('tallyhook doctor', 'tallyhook doctor || [ $? -eq 3 ]'));
  const settings = lines.filter((line) => line.startsWith('TOKEN='));
  const query = [...settings, ...lines.slice(asked + 1)].join('\n');
  let answer = '';
  await until('the order may be shipped', async () => {
    answer = await types(query);
    return answer.includes('"release":{"safe":true') || answer.slice(0, 400);
  });
  expect(answer).toContain('"status":"paid"');
  expect(answer).toContain('A-1001');
  report('first-shop', { 'seconds of the machine': Math.round((performance.now() - began) / 1_000) });
});
