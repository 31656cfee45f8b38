import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { listen } from '../../src/wiring/listen.js';

const place = { host: '127.0.0.1', port: 0, names: { host: 'CONSOLE_HOST', port: 'METRICS_PORT' } };

test('a request under way is answered after close was called; a new one is refused', async () => {
  let arrived = (_res: ServerResponse): void => {};
  const arrival = new Promise<ServerResponse>((resolve) => (arrived = resolve));
  const listener = await listen(place, (_req, res) => arrived(res));
  const response = fetch(listener.url);
  const pending = await arrival;
  const closing = listener.close();
  await expect(fetch(listener.url)).rejects.toThrow();
  pending.end('late');
  expect(await (await response).text()).toBe('late');
  await closing;
});

test('an idle connection that is kept alive does not hold up the end', async () => {
  const listener = await listen(place, (_req, res) => res.end('ok'));
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  const ended = once(socket, 'close');
  socket.resume();
  await Promise.all([listener.close(), listener.close(), ended]);
});

test('the handler can be replaced while connections stay open', async () => {
  const listener = await listen(place, (_req, res) => res.end('first'));
  expect(await (await fetch(listener.url)).text()).toBe('first');
  listener.serve((_req, res) => res.end('second'));
  expect(await (await fetch(listener.url)).text()).toBe('second');
  await listener.close();
});

test('whoever does not read his answer is cut off', async () => {
  let arrived = (_res: ServerResponse): void => {};
  const arrival = new Promise<ServerResponse>((resolve) => (arrived = resolve));
  const listener = await listen(place, (_req, res) => arrived(res), { silenceMs: 200 });
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const res = await arrival;
  const cutOff = once(res, 'close');
  res.end(Buffer.alloc(32 * 1024 * 1024));
  await cutOff;
  socket.destroy();
  await listener.close();
});

test('beyond the bound of connections a new one is refused, and idle ones make room for the next', async () => {
  const listener = await listen(place, (_req, res) => res.end('ok'), { maxConnections: 3 });
  const port = Number(new URL(listener.url).port);
  const idle = await Promise.all(
    [1, 2, 3].map(async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      return { closed: once(socket.resume(), 'close') };
    }),
  );
  const tooMany = connect(port, '127.0.0.1');
  tooMany.on('error', () => {});
  await once(tooMany.resume(), 'close');
  await Promise.all(idle.map(({ closed }) => closed));
  expect(await (await fetch(listener.url)).text()).toBe('ok');
  await listener.close();
});

const refused = (other: Partial<typeof place>) =>
  listen({ ...place, ...other }, () => {}).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

test('a port that is taken is a wrong setting of the port', async () => {
  const listener = await listen(place, (_req, res) => res.end());
  const port = Number(new URL(listener.url).port);
  const error = await refused({ port });
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(
    `METRICS_PORT\n    given 127.0.0.1:${port}, but another program listens there; accepted is a free port, or 0 for any free one`,
  );
  await listener.close();
});

test.each([
  ['192.0.2.1', /this machine does not have that address/],
  // Without a network nobody knows.
  ['not.a.host.invalid', /that host name (is not known|can’t be looked up now)/],
])('an address that is not to be had, %s, is a wrong setting of the host', async (host, why) => {
  const error = await refused({ host });
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(`CONSOLE_HOST\n    given "${host}", but `);
  expect(String(error)).toMatch(why);
  expect(String(error)).not.toContain('_PORT');
});

test('from when it is to leave, it answers on, and each answer is the last of its connection', async () => {
  const leaving = new AbortController();
  const listener = await listen(place, (_req, res) => res.writeHead(200, { 'Content-Type': 'text/plain' }).end('ok'), {
    leaving: leaving.signal,
  });
  expect((await fetch(listener.url)).headers.get('connection')).toBe('keep-alive');
  leaving.abort();
  const last = await fetch(listener.url);
  expect([last.status, last.headers.get('connection')]).toEqual([200, 'close']);
  await listener.close();
});
