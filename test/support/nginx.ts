import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { until } from './drill.js';

const DOCUMENT = path.join(import.meta.dirname, '../../docs/deploy.md');

/** Whether there is an nginx; that there is none is said aloud, so that nobody takes a skip for a pass. */
export function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('\n!!! No nginx on the PATH: its settings in docs/deploy.md are NOT TRIED !!!\n');
    return false;
  }
}

export interface Nginx {
  port: number;
  /** What it has written of errors. */
  errors(): string;
  close(): Promise<void>;
}

/** In front of two receivers, as docs/deploy.md has it, but for the ports. */
export async function startNginx([first, second]: readonly number[]): Promise<Nginx> {
  const folder = await mkdtemp(path.join(tmpdir(), 'nginx-'));
  await chmod(folder, 0o755);
  const port = await freePort(null);
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(readFileSync(DOCUMENT, 'utf8'))!;
  const placed = block
    .replace(/127\.0\.0\.1:8080/, `127.0.0.1:${first}`)
    .replace(/127\.0\.0\.1:8090/, `127.0.0.1:${second}`)
    .replace(/listen 8000/, `listen 127.0.0.1:${port}`);
  const file = path.join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid nginx.pid; error_log errors error; worker_processes 1;
      events { worker_connections 4000; } http { access_log off; ${placed} }`,
  );
  const child = spawn('nginx', ['-p', folder, '-e', 'errors', '-c', file], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  await until('nginx answers', () => fetch(`http://127.0.0.1:${port}/`).then(() => true));
  return {
    port,
    errors: () => readFileSync(path.join(folder, 'errors'), 'utf8'),
    async close() {
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** How many webhooks a receiver has accepted, by the address of its metrics. */
export async function acceptedBy(metricsUrl: string): Promise<number> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  return Number(/^tallyhook_webhook_requests_total\{result="accepted"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
