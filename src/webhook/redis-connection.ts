import type { RedisOptions } from 'bullmq';
import { Cluster } from 'ioredis';
import { ConfigError } from '../errors.js';

/** What REDIS_URL names: one server, or nodes of a Redis Cluster, of which any one is enough to find the others. */
export type RedisAddress = { kind: 'server'; url: string } | ({ kind: 'cluster' } & ClusterAddress);

interface ClusterAddress {
  nodes: { host: string; port: number }[];
  username?: string;
  password?: string;
  tls: boolean;
}

/** Of the connection to a server, or to each node of a cluster. */
export interface NodeOptions {
  /** Milliseconds. */
  commandTimeout?: number;
  /** Null: a command waits for as long as it takes. */
  maxRetriesPerRequest?: null;
}

const CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_PORT = 6379;
const FORM = /^(rediss?):\/\/(?:([^@/]*)@)?([^/?#@]+)(\/[^?#]*)?(?:\?([^#]*))?$/;

/**
 * `redis://user:password@host:port` is a server; several `host:port` with commas between, or `?cluster=true` behind one,
 * are a cluster, which has no databases to choose from. Throws a ConfigError that does not show the address.
 */
export function redisAddress(text: string): RedisAddress {
  const [, protocol, login = '', hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  const isCluster = /,[^@]*$/.test(text) || new URLSearchParams(query).get('cluster') === 'true';
  if (!isCluster) return { kind: 'server', url: text };
  const nodes = hosts.split(',').map(toNode);
  if (protocol === undefined || nodes.some((node) => node === null) || !/^(\/0?)?$/.test(path))
    throw new ConfigError('the Redis address is not of the form redis://user:password@host:port,host:port');
  const [username = '', ...rest] = login.split(':');
  const password = rest.join(':');
  return {
    kind: 'cluster',
    nodes: nodes.filter((node) => node !== null),
    tls: protocol === 'rediss',
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

/** Of one server; the options of a connection that is lost and found again. */
export const serverOptions = (url: string): RedisOptions => ({ url, ...COMMON, retryStrategy });

/**
 * A client of a cluster. It belongs to whoever opened it: BullMQ closes no client that it was given. Without
 * `offlineQueue` a command is refused while the cluster is down.
 */
export function openCluster(
  address: ClusterAddress,
  { offlineQueue, node }: { offlineQueue: boolean; node: NodeOptions },
): Cluster {
  const { nodes, username, password, tls } = address;
  return new Cluster(nodes, {
    enableOfflineQueue: offlineQueue,
    clusterRetryStrategy: retryStrategy,
    // The name of a node is what its certificate is held against.
    ...(tls && { dnsLookup: (name, found) => found(null, name) }),
    redisOptions: {
      ...COMMON,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(tls && { tls: {} }),
      ...node,
    },
  });
}

const COMMON = { connectTimeout: CONNECT_TIMEOUT_MS, keepAlive: 10_000 } satisfies RedisOptions;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), 2_000);

function toNode(text: string): { host: string; port: number } | null {
  const [, host = '', port] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === '') return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT : Number(port) };
}
