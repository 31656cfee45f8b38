import { EventEmitter } from 'node:events';
import { Client } from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { createLog } from '../../src/log.js';
import { openQueue, openWorker } from '../../src/webhook/queue-backend.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/drill.js';

const database = useDatabase();
afterEach(() => vi.restoreAllMocks());

/** Clients of which at some moment nobody would have heard that they broke: that ends the process. */
function watchClients(): Set<Client> {
  const bare = new Set<Client>();
  const look = (client: Client) => {
    if (client.listenerCount('error') === 0) bare.add(client);
  };
  const connect = Reflect.get(Client.prototype, 'connect');
  vi.spyOn(Client.prototype, 'connect').mockImplementation(function (this: Client, ...args: unknown[]) {
    this.prependOnceListener('connect', () => look(this));
    return Reflect.apply(connect, this, args) as never;
  });
  for (const name of ['removeListener', 'removeAllListeners'] as const) {
    const remove = EventEmitter.prototype[name];
    vi.spyOn(Client.prototype, name).mockImplementation(function (this: Client, ...args: unknown[]) {
      queueMicrotask(() => look(this));
      return Reflect.apply(remove, this, args) as Client;
    });
  }
  return bare;
}

it('somebody hears of each connection of a queue that it broke, from its first moment to its last', async () => {
  const bare = watchClients();
  const settings = { databaseUrl: database.url, log: createLog('silent') };
  const done: string[] = [];
  const queue = openQueue<string>('events', settings);
  const worker = openWorker<string>('events', async ({ data }) => void done.push(data), settings, { concurrency: 2 });
  await worker.waitUntilReady();
  const running = worker.run();
  await queue.addBulk(['a', 'b', 'c'].map((data) => ({ name: 'x', data })));
  await until('the jobs are done', () => done.length === 3 || done);
  await worker.close();
  await queue.close();
  await running;
  expect(bare.size).toBe(0);
});

it('a queue that is disconnected as well as closed is closed once', async () => {
  const queue = openQueue('events', { databaseUrl: database.url, log: createLog('silent') });
  await queue.waitUntilReady();
  await expect(Promise.all([queue.close(), queue.disconnect()])).resolves.toBeDefined();
});
