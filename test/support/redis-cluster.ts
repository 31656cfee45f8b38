import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { until } from './drill.js';

/**
 * A Redis Cluster of one's own: three masters without replicas, that keep nothing over a restart. Only a user with a
 * password gets in, by TLS where there is an openssl to make a certificate.
 */
export interface TestRedisCluster {
  /** All nodes, in the form of REDIS_URL. */
  url: string;
  /** What a process needs besides, to trust the certificate. */
  env: Record<string, string>;
  start(): Promise<void>;
  /** kill -9 of the master that holds this key; returns its name. With it all that was in its slots is gone. */
  killMasterOf(key: string): Promise<string>;
  /** The killed ones come back to their slots, empty. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

interface Node {
  name: string;
  port: number;
  busPort: number;
  dir: string;
  certificate: string | null;
  server: ChildProcess | null;
  /** Of the 16,384 slots. */
  slots: [from: number, to: number];
}

const SLOTS = 16_384;
const MASTERS = 3;
const START_TIMEOUT_MS = 15_000;
const LOGIN = { username: 'fleet', password: 's:e/cret' };
const SHARED = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--cluster-enabled', 'yes'];
const RIGHTS = ['on', `>${LOGIN.password}`, '~*', '&*', '+@all'];
const USERS = ['--user', LOGIN.username, ...RIGHTS, '--user', 'default', 'off'];

export async function createTestRedisCluster(): Promise<TestRedisCluster> {
  const home = await mkdtemp(path.join(tmpdir(), 'tallyhook-redis-cluster-'));
  const certificate = makeCertificate(home);
  const nodes = await Promise.all(
    Array.from({ length: MASTERS }, (_, place) => createNode(place, { home, certificate })),
  );
  const killAll = () => nodes.forEach(({ server }) => server?.kill('SIGKILL'));
  process.once('exit', killAll);
  return {
    url: `${certificate ? 'rediss' : 'redis'}://${LOGIN.username}:${encodeURIComponent(LOGIN.password)}@${nodes.map(({ name }) => name).join(',')}`,
    env: certificate ? { NODE_EXTRA_CA_CERTS: certificate } : {},
    async start() {
      await Promise.all(nodes.map(launch));
      await Promise.all(nodes.map((node) => introduce(node, nodes)));
      await inOrder(nodes);
    },
    async killMasterOf(key) {
      const [first] = nodes;
      const slot = first ? await ask(first, (client) => client.cluster('KEYSLOT', key)) : -1;
      const holder = nodes.find(({ slots: [from, to] }) => from <= slot && slot <= to);
      if (!holder) throw new Error(`no master holds ${key}`);
      await kill(holder);
      return holder.name;
    },
    async revive() {
      await Promise.all(nodes.filter(({ server }) => server === null).map(launch));
      await inOrder(nodes);
    },
    async close() {
      await Promise.all(nodes.map(kill));
      process.off('exit', killAll);
      await rm(home, { recursive: true, force: true });
    },
  };
}

function makeCertificate(home: string): string | null {
  const file = path.join(home, 'certificate.pem');
  const about = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${file}.key`, '-out', file];
  try {
    execFileSync('openssl', ['req', ...made, ...about], { stdio: 'ignore' });
    return file;
  } catch {
    process.stderr.write('\n!!! No openssl on the PATH: the Redis Cluster is tested WITHOUT TLS !!!\n');
    return null;
  }
}

async function createNode(
  place: number,
  { home, certificate }: { home: string; certificate: string | null },
): Promise<Node> {
  const share = Math.ceil(SLOTS / MASTERS);
  const port = await freePort(null);
  return {
    name: `127.0.0.1:${port}`,
    port,
    busPort: await freePort(null),
    dir: await mkdtemp(path.join(home, 'node-')),
    certificate,
    server: null,
    slots: [place * share, Math.min(SLOTS, (place + 1) * share) - 1],
  };
}

async function launch(node: Node): Promise<void> {
  const { port, busPort, dir, certificate } = node;
  const own = ['--cluster-port', `${busPort}`, '--dir', dir, '--cluster-node-timeout', '1500'];
  const pair = ['--tls-cert-file', `${certificate}`, '--tls-key-file', `${certificate}.key`];
  const trust = ['--tls-ca-cert-file', `${certificate}`, '--tls-auth-clients', 'no', '--tls-cluster', 'yes'];
  const open = certificate ? ['--port', '0', '--tls-port', `${port}`, ...pair, ...trust] : ['--port', `${port}`];
  node.server = spawn('redis-server', [...own, ...open, ...SHARED, ...USERS], { stdio: 'ignore' });
  await until(`${node.name} answers`, async () => (await ask(node, (client) => client.ping())) === 'PONG', {
    timeoutMs: START_TIMEOUT_MS,
  });
}

async function introduce(node: Node, others: Node[]): Promise<void> {
  const [from, to] = node.slots;
  await ask(node, (client) => client.call('CLUSTER', 'ADDSLOTSRANGE', from, to));
  for (const { name, port, busPort } of others) {
    if (name !== node.name) await ask(node, (client) => client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort));
  }
}

async function inOrder(nodes: Node[]): Promise<void> {
  await until('every node finds the cluster in order', async () => {
    const infos = await Promise.all(nodes.map((node) => ask(node, (client) => client.cluster('INFO'))));
    const states = ['cluster_state:ok', `cluster_known_nodes:${MASTERS}`];
    return infos.every((info) => states.every((state) => info.includes(state)));
  });
}

async function kill(node: Node): Promise<void> {
  const { server } = node;
  node.server = null;
  if (!server || server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await ended;
}

async function ask<T>({ port, certificate }: Node, use: (client: Redis) => Promise<T>): Promise<T> {
  const tls = certificate ? { tls: { ca: readFileSync(certificate) } } : {};
  const once = { lazyConnect: true, retryStrategy: () => null };
  const client = new Redis({ host: '127.0.0.1', port, ...LOGIN, ...tls, ...once });
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    client.disconnect();
  }
}
