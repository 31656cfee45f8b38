import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';

/** As a browser would send it: what a page can't set is set here. */
async function send(url: string, method: string, headers: Record<string, string>, body = '{"advanceSeconds":60}') {
  const sent = request(url, { method, headers }).end(method === 'GET' ? undefined : body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

const LEVERS = [
  ['POST', '/sandbox/clock'],
  ['PUT', '/sandbox/faults'],
  ['POST', '/sandbox/payment-intents'],
  ['POST', '/sandbox/webhook-endpoints'],
  ['DELETE', '/sandbox/webhook-endpoints/we_1'],
  ['POST', '/v1/payments'],
] as const;

const state = (sandbox: TestSandbox) => [sandbox.control.now() < Date.now() + 30_000, sandbox.control.internalPayins()];

test('a page in a browser of the developer can not drive the sandbox, from another site or by a name that leads here', async () => {
  const sandbox = await openSandbox();
  const { host, port } = new URL(sandbox.url);
  const before = state(sandbox);
  const attacks: Record<string, string>[] = [
    { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { host, origin: 'https://evil.example' },
    { host, origin: 'null' },
    { host, 'sec-fetch-site': 'cross-site' },
    { host, origin: `http://127.0.0.1:${Number(port) + 1}`, 'sec-fetch-site': 'same-site' },
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}`, 'sec-fetch-site': 'same-origin' },
    { host: `127.0.0.1.evil.example:${port}` },
    { host: `localhost.evil.example:${port}` },
  ];
  for (const headers of attacks) {
    for (const [method, path] of LEVERS) {
      const given = { ...headers, 'content-type': 'text/plain', authorization: 'Bearer sandbox-api-key' };
      expect([headers, path, await send(sandbox.url + path, method, given)]).toEqual([headers, path, 403]);
    }
  }
  expect(state(sandbox)).toEqual(before);
  expect(await send(`${sandbox.url}/sandbox/truth`, 'GET', { host: `evil.example:${port}` })).toBe(403);
});

test('programs, pages of its own and links drive and read it as before', async () => {
  const sandbox = await openSandbox();
  const { host, port } = new URL(sandbox.url);
  const clock = `${sandbox.url}/sandbox/clock`;
  for (const name of [host, `localhost:${port}`, `[::1]:${port}`, `pay.localhost:${port}`])
    expect([name, await send(clock, 'POST', { host: name })]).toEqual([name, 200]);
  expect(await send(clock, 'POST', { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await send(clock, 'GET', { host, 'sec-fetch-site': 'cross-site' })).toBe(200);
});

test('one that listens everywhere answers to addresses and to names that nobody can buy', async () => {
  const sandbox = await openSandbox({ host: '0.0.0.0' });
  const clock = `http://127.0.0.1:${new URL(sandbox.url).port}/sandbox/clock`;
  for (const [host, status] of [
    ['192.168.3.4:80', 200],
    ['sandbox:4010', 200],
    ['pay.svc.cluster.local', 200],
    ['evil.example', 403],
    ['192.168.3.4.nip.io', 403],
  ] as const)
    expect([host, await send(clock, 'POST', { host })]).toEqual([host, status]);
});
