import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { openCluster, redisAddress } from '../../src/webhook/redis-connection.js';

const accepted = (url: string): boolean => {
  try {
    return loadConfig([], { env: { REDIS_URL: url } }).REDIS_URL === url;
  } catch {
    return false;
  }
};

describe('REDIS_URL', () => {
  test.each(['redis://127.0.0.1:6379', 'rediss://user:pass@redis.example/2', 'redis://:pass@[::1]:7000'])(
    'one server is left as it is: %s',
    (url) => {
      expect(accepted(url)).toBe(true);
      expect(redisAddress(url)).toEqual({ kind: 'server', url });
    },
  );

  test('several nodes are a cluster, with one login and one way of encryption for all', () => {
    const url = 'rediss://us%40er:p%2Cass%3Aword@a.example:7000,b.example,[::1]:7002';
    expect(accepted(url)).toBe(true);
    expect(redisAddress(url)).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a.example', port: 7000 },
        { host: 'b.example', port: 6379 },
        { host: '::1', port: 7002 },
      ],
      username: 'us@er',
      password: 'p,ass:word',
      tls: true,
    });
  });

  test('a cluster that is known by one name says so', () => {
    const url = 'redis://:p,w@cluster.example:6379?cluster=true';
    expect(accepted(url)).toBe(true);
    const nodes = [{ host: 'cluster.example', port: 6379 }];
    expect(redisAddress(url)).toEqual({ kind: 'cluster', nodes, password: 'p,w', tls: false });
  });

  test.each([
    'redis://a:7000,b:7001/1',
    'redis://a:7000,,b:7001',
    'redis://a:7000,b:70:01',
    'redis://a,redis://b',
    'http://a:7000,b:7001',
  ])('refused: %s', (url) => {
    expect(accepted(url)).toBe(false);
    expect(() => redisAddress(url)).toThrow(/not of the form/);
  });

  test('login and encryption reach the connection to every node', () => {
    const address = redisAddress('rediss://user:pass@127.0.0.1:1,127.0.0.1:2');
    if (address.kind !== 'cluster') throw new Error('no cluster');
    const cluster = openCluster(address, { offlineQueue: false, node: { commandTimeout: 2_000 } });
    cluster.on('error', () => {});
    cluster.disconnect();
    const login = { username: 'user', password: 'pass', tls: {}, commandTimeout: 2_000 };
    expect(cluster.options.redisOptions).toMatchObject(login);
    expect(cluster.options.enableOfflineQueue).toBe(false);
  });
});
