// The contenders, each a process of its own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SECRET } from './sign.mjs';

const PORT = { worker: /metrics +http:.*:(\d+)/, any: /receiver +http:.*:(\d+)/ };
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** What the product needs to run; the service itself is never called. */
const settings = (databaseUrl) => ({
  DATABASE_URL: databaseUrl,
  SERVICE_BASE_URL: 'http://127.0.0.1:9',
  SERVICE_API_KEY: 'bench',
  WEBHOOK_SECRETS: `bench=${SECRET}`,
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_PORT: '0',
  LOG_LEVEL: 'error',
});

/** The contenders, each a process of its own that prints where it listens. */
const processes = {
  ours: (databaseUrl) => ({ args: [CLI, 'serve'], env: settings(databaseUrl) }),
  worker: (databaseUrl) => ({ args: [CLI, 'work'], env: settings(databaseUrl) }),
  express: () => ({ args: [server('express')], env: {} }),
  bare: () => ({ args: [server('bare')], env: {} }),
  stripe: (databaseUrl) => ({ args: [server('stripe'), databaseUrl], env: {} }),
};

function server(name) {
  return fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));
}

/** Starts one of them in the folder; resolves once it listens. */
export async function serve(name, { databaseUrl, folder }) {
  const { args, env } = processes[name](databaseUrl);
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
  });
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not start within 60 s`)), 60_000);
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code} before it listened`)));
    child.stdout.on('data', (chunk) => {
      const match = PORT[name]?.exec(chunk.toString()) ?? PORT.any.exec(chunk.toString());
      if (!match) return;
      clearTimeout(timer);
      resolve(Number(match[1]));
    });
  });
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners('exit');
      child.once('exit', resolve);
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 20_000).unref();
    });
  return { port, stop };
}
