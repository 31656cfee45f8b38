import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DRILL_MS, report, until } from '../support/drill.js';
import { startCli } from '../support/run-cli.js';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
const SOURCES = ['src', 'build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
/** A store's own file, in each of the two ways. */
const STORE = `import { ConfigError, createKeyStore, createReceiver, MerchantClient, type Payout, verifySignature } from 'tallyhook';
const client: MerchantClient = new MerchantClient({ baseUrl: 'https://service.example', apiKey: 'key' });
export async function use(payout: Payout) {
  const { handler } = await createReceiver({ databaseUrl: '', secrets: [{ label: 'a', secret: 'whsec_1' }] });
  return [handler, client, payout.id, createKeyStore, verifySignature, ConfigError];
}
`;
const COMMON_STORE = `import tallyhook = require('tallyhook');\nexport const check = tallyhook.verifySignature;\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'package-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A copy that may be built. */
async function copySources(): Promise<string> {
  const copy = await mkdtemp(path.join(folder, 'sources-'));
  for (const name of SOURCES) await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

test('two builds at once take no file from what runs, and what is current is not built again', {
  timeout: DRILL_MS,
}, async () => {
  const copy = await copySources();
  const build = (...args: string[]) => run(process.execPath, [path.join(copy, 'build.mjs'), ...args]);
  const cli = path.join(copy, 'dist/cli.js');
  const gone = path.join(copy, 'dist/long-removed.js');
  await build('--if-older');
  const files = (await readdir(path.join(copy, 'dist'), { recursive: true })).toSorted();
  const built = readFileSync(cli);
  await writeFile(gone, '');
  const stamp = new Date('2020-01-01');
  await utimes(cli, stamp, stamp);

  // A build that was killed amid its turn.
  await mkdir(path.join(copy, 'dist.new/console'), { recursive: true });
  const asked = files.filter((name) => /\.(js|css|eta)$/.test(name)).map((name) => path.join(copy, 'dist', name));
  const missed: string[] = [];
  let polls = 0;
  const watch = setInterval(() => {
    polls += 1;
    missed.push(...asked.filter((name) => !existsSync(name)));
  }, 1);
  await Promise.all([build('--if-older'), build()]);
  clearInterval(watch);
  expect(polls).toBeGreaterThan(10);
  expect(missed).toEqual([]);
  expect((await readdir(path.join(copy, 'dist'), { recursive: true })).toSorted()).toEqual(files);
  expect(readFileSync(cli)).toEqual(built);
  // As `npx tallyhook` starts it.
  expect((await run(cli, ['--version'])).stdout).toMatch(/\d/);
  expect((await readdir(copy)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);

  // Only a build would bring back what is taken away here.
  await rm(path.join(copy, 'dist/cli/start-demo.js'));
  await build('--if-older');
  expect(existsSync(path.join(copy, 'dist/cli/start-demo.js'))).toBe(false);
  await rm(path.join(copy, 'src/cli/start-demo.ts'));
  await writeFile(path.join(copy, 'src/cli/demo.ts'), 'export const changed = true;\n');
  await build('--if-older');
  expect(readFileSync(path.join(copy, 'dist/cli/demo.js'), 'utf8')).toContain('changed');
});

test('installed in an empty project it is a program and a library, of both kinds of modules', {
  timeout: DRILL_MS,
}, async () => {
  const project = path.join(folder, 'project');
  await mkdir(project);
  const [{ filename, size }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: 'pipe',
    }),
  ) as [{ filename: string; size: number }];
  await writeFile(path.join(project, 'package.json'), '{"private": true}');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', path.join(folder, filename)];
  await run('npm', install, { cwd: project }).catch((error: unknown) => {
    throw new Error('NOT TRIED: npm can’t install the package here, neither from its cache nor from a registry', {
      cause: error,
    });
  });

  const inProject = async (file: string, args: string[]) => (await run(file, args, { cwd: project })).stdout;
  expect(await inProject('npx', ['tallyhook', '--version'])).toMatch(/^\d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/);
  const says = 'console.log(Object.keys(tallyhook).length > 20, typeof tallyhook.createReceiver)';
  expect(await inProject('node', ['-e', `const tallyhook = require('tallyhook'); ${says}`])).toBe('true function\n');
  expect(
    await inProject('node', ['--input-type=module', '-e', `import * as tallyhook from 'tallyhook'; ${says}`]),
  ).toBe('true function\n');

  // Beside our types a store has those of Node alone.
  await mkdir(path.join(project, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    await symlink(path.join(ROOT, 'node_modules', name), path.join(project, 'node_modules', name)).catch(() => {});
  await writeFile(path.join(project, 'store.mts'), STORE);
  await writeFile(path.join(project, 'store.cts'), COMMON_STORE);
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const flags = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023'];
  expect(await inProject('node', [tsc, ...flags, '--types', 'node', 'store.mts', 'store.cts'])).toBe('');
  await writeFile(path.join(project, 'wrong.mts'), STORE.replace("'key'", '1'));
  await expect(inProject('node', [tsc, ...flags, '--types', 'node', 'wrong.mts'])).rejects.toThrow(/wrong\.mts/);

  const settings = await run('npx', ['tallyhook', 'start'], { cwd: project }).catch(
    (error: { stderr: string }) => error,
  );
  expect(settings.stderr).toContain('node_modules/tallyhook/.env.example lists all');
  expect(settings.stderr).not.toContain('npm run');
  const demo = startCli(['demo'], { cwd: project, program: path.join(project, 'node_modules/tallyhook/dist') });
  try {
    const [, console] = await demo.stdoutMatch(/^console +(\S+)$/m);
    await until('the console is ready', async () => (await fetch(`${console}/readyz`)).ok || demo.output);
  } finally {
    await demo.end('SIGTERM');
  }
  const lock = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8')) as { packages: object };
  report('package', { 'tarball (kB)': Math.round(size / 1000), packages: Object.keys(lock.packages).length - 1 });
});
