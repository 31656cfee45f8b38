import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { codeBlocks, readDocument } from '../docs/documents.js';
import { until } from './drill.js';
import type { CliProcess } from './run-cli.js';

const programs = {
  nginx: {
    args: (file: string, folder: string) => ['-p', folder, '-e', 'stderr', '-c', file],
    around: (block: string) =>
      `daemon off; pid nginx.pid; error_log stderr error; worker_processes 1;
        events { worker_connections 4000; } http { access_log off; ${block} }`,
  },
  haproxy: {
    args: (file: string) => ['-db', '-f', file],
    around: (block: string) => `global\n  maxconn 4000\n${block}`,
  },
};

export type ProxyName = keyof typeof programs;
export const proxyNames = ['nginx', 'haproxy'] as const satisfies ProxyName[];

/** Whether it is installed; that it is not is said aloud, so that nobody takes a skip for a pass. */
export function hasProxy(name: ProxyName): boolean {
  try {
    execFileSync(name, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`\n!!! No ${name} on the PATH: its settings in docs/deploy.md are NOT TRIED !!!\n`);
    return false;
  }
}

export interface Proxy {
  port: number;
  /** What it has written of errors. */
  errors(): string;
  close(): Promise<void>;
}

/** In front of two receivers, as docs/deploy.md has it, but for the ports. */
export async function startProxy(name: ProxyName, [first, second]: readonly number[]): Promise<Proxy> {
  const folder = await mkdtemp(path.join(tmpdir(), `${name}-`));
  await chmod(folder, 0o755);
  const port = await freePort(null);
  const [block] = codeBlocks(readDocument('docs/deploy.md')).filter(({ language }) => language === name);
  const placed = block!.text
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${first}`)
    .replaceAll('127.0.0.1:8090', `127.0.0.1:${second}`)
    .replace('*:8000', `127.0.0.1:${port}`);
  const file = path.join(folder, 'settings');
  await writeFile(file, programs[name].around(placed));
  const errors = path.join(folder, 'errors');
  const written = await open(errors, 'w');
  const child = spawn(name, programs[name].args(file, folder), { stdio: ['ignore', 'ignore', written.fd] });
  await written.close();
  const gone = once(child, 'exit');
  await until(`${name} answers`, () => fetch(`http://127.0.0.1:${port}/`).then(() => true));
  return {
    port,
    errors: () => readFileSync(errors, 'utf8'),
    async close() {
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** How many webhooks a receiver has accepted, by its metrics. */
export async function acceptedBy(receiver: CliProcess): Promise<number> {
  const [, metrics = ''] = await receiver.stdoutMatch(/^metrics +(\S+)/m);
  const text = await (await fetch(`${metrics}/metrics`)).text();
  return Number(/^tallyhook_webhook_requests_total\{result="accepted"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
