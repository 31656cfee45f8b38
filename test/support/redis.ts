import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded-postgres/free-port.js';

/** A Redis for one test file. */
export interface TestRedis {
  url: string;
  /** Of its own for every test, so that a shared server keeps them apart. */
  prefix: string;
  start(): Promise<void>;
  /** kill -9: what it held is gone. */
  stop(): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;

/**
 * `own`: a redis-server that a test may stop and flush. `shared`: the one of REDIS_URL, which it may not.
 * `none` is said aloud, so that nobody takes a skip for a pass.
 */
export const redisKind: 'own' | 'shared' | 'none' = findRedis();

function findRedis(): 'own' | 'shared' | 'none' {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return 'own';
  } catch {
    if (process.env['REDIS_URL']) {
      process.stderr.write('\n!!! No redis-server on the PATH: the tests that stop or flush Redis are SKIPPED !!!\n');
      return 'shared';
    }
    process.stderr.write(
      '\n!!! No redis-server on the PATH and no REDIS_URL: the tests of the queue on Redis are SKIPPED !!!\n',
    );
    return 'none';
  }
}

/** A redis-server of one's own on a free port, without persistence, not started yet; else that of REDIS_URL. */
export async function createTestRedis(): Promise<TestRedis> {
  const prefix = `{test-${randomBytes(4).toString('hex')}}`;
  return redisKind === 'own' ? createOwnRedis(prefix) : sharedRedis(prefix, process.env['REDIS_URL'] ?? '');
}

function sharedRedis(prefix: string, url: string): TestRedis {
  const refuse = () => Promise.reject(new Error("the Redis of REDIS_URL is not the test's to stop or flush"));
  return { url, prefix, start: () => answering(url), stop: refuse, flush: refuse, close: () => Promise.resolve() };
}

async function createOwnRedis(prefix: string): Promise<TestRedis> {
  const dir = await mkdtemp(path.join(tmpdir(), `tallyhook-redis-${randomBytes(4).toString('hex')}-`));
  const port = await freePort(null);
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | null = null;
  const killServer = () => server?.kill('SIGKILL');
  process.once('exit', killServer);
  const redis: TestRedis = {
    url,
    prefix,
    async start() {
      server = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', dir], {
        stdio: 'ignore',
      });
      await answering(url);
    },
    async stop() {
      const running = server;
      server = null;
      if (!running || running.exitCode !== null) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await ended;
    },
    async flush() {
      await withClient(url, (client) => client.flushall());
    },
    async close() {
      await redis.stop();
      process.off('exit', killServer);
      await rm(dir, { recursive: true, force: true });
    },
  };
  return redis;
}

async function answering(url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await withClient(url, (client) => client.ping());
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function withClient(url: string, use: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await use(client);
  } finally {
    client.disconnect();
  }
}
