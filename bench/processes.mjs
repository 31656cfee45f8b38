// The contenders, each a process of its own.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SECRET } from './sign.mjs';

const START_MS = 120_000;
const DIST = fileURLToPath(new URL('../dist', import.meta.url));

/** What the product needs to run. A service that is never called has no address. */
export const settings = ({ databaseUrl, serviceUrl = 'http://127.0.0.1:9' }) => ({
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  SERVICE_BASE_URL: serviceUrl,
  SERVICE_API_KEY: 'sandbox-api-key',
  WEBHOOK_SECRETS: `bench=${SECRET}`,
  CONSOLE_TOKENS: `bench:admin:${TOKEN}`,
  HOST: '127.0.0.1',
  PORT: '0',
  CONSOLE_PORT: '0',
  METRICS_PORT: '0',
  LOG_LEVEL: 'error',
});

export const TOKEN = 'bench-token-of-32-characters-0000';

const ours = (verb, printed, ...flags) => ({
  args: ({ dist = DIST }) => [join(dist, 'cli.js'), verb, ...flags],
  env: settings,
  printed,
});
const server = (name, ...more) => ({
  args: (at) => [
    fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url)),
    ...more.map((key) => String(at[key] ?? key)),
  ],
  env: () => ({}),
  printed: 'receiver',
});

/** Each prints where it listens, under this name. */
const processes = {
  serve: ours('serve', 'receiver'),
  worker: ours('work', 'metrics'),
  schedule: ours('schedule', 'metrics'),
  console: ours('console', 'console'),
  start: ours('start', 'receiver'),
  sandbox: ours('sandbox', 'sandbox', '--payments', '100'),
  storeless: server('storeless'),
  mounted: server('mounted', 'databaseUrl'),
  router: server('alone', 'databaseUrl', 'router'),
  steps: server('alone', 'databaseUrl', 'steps'),
  bare: server('bare'),
  stripe: server('stripe', 'databaseUrl'),
  list: server('list', 'count', 'newest'),
};

/**
 * Starts one of them in the folder, ours out of another build where `dist` is given; resolves once it listens. With a module to
 * `preload` it can be sent messages.
 */
export async function serve(name, at) {
  const { args, env, printed } = processes[name];
  const { preload } = at;
  const child = spawn(process.execPath, [...(preload === undefined ? [] : ['--import', preload]), ...args(at)], {
    cwd: at.folder,
    stdio: ['ignore', 'pipe', 'inherit', ...(preload === undefined ? [] : ['ipc'])],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DRAIN_SECONDS: '0', ...env(at) },
  });
  let output = '';
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not start within ${START_MS} ms`)), START_MS);
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code} before it listened`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const match = new RegExp(`${printed} +http:.*:(\\d+)`).exec(output);
      if (!match) return;
      clearTimeout(timer);
      resolve(Number(match[1]));
    });
  });
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    return ended.finally(() => clearTimeout(timer));
  };
  return { port, pid: child.pid, child, stop };
}

/** As `serve`, for as long as `work` takes. */
export async function during(name, at, work) {
  const started = await serve(name, at);
  try {
    return await work(started);
  } finally {
    await started.stop();
  }
}
