import type { LookupAddress } from 'node:dns';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkOutboundUrl, guardedLookup, OutboundAddressError } from '../../src/outbound-address.js';

const nothing = { privateNetworks: false, loopback: false };
const all = { privateNetworks: true, loopback: true };
const isAllowed = (url: string, rules = nothing) => {
  try {
    return checkOutboundUrl(url, rules).href !== '';
  } catch (error) {
    expect(error).toBeInstanceOf(OutboundAddressError);
    return false;
  }
};

test('the public internet by https, and nothing else', () => {
  for (const url of ['https://hooks.example/a?b=c', 'https://8.8.8.8/', 'https://[2606:4700::1111]:8443/']) {
    expect([url, isAllowed(url)]).toEqual([url, true]);
  }
  for (const url of [
    'http://hooks.example/',
    'ftp://hooks.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '',
    'hooks.example',
    'https://',
    'https://user@hooks.example/',
    'https://:p@hooks.example/',
    'https://a:b@127.0.0.1/',
  ]) {
    expect([url, isAllowed(url, all)]).toEqual([url, false]);
  }
});

test('own networks only where they are allowed; this machine, and plain http to it, only where that is', () => {
  for (const host of [
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '[fd12::1]',
    '[::ffff:10.0.0.1]',
    '0xa.1',
    '167772161',
    '012.0.0.1',
  ]) {
    const seen = [nothing, { ...nothing, loopback: true }, { ...nothing, privateNetworks: true }].map((rules) =>
      isAllowed(`https://${host}/`, rules),
    );
    expect([host, seen]).toEqual([host, [false, false, true]]);
    expect(isAllowed(`http://${host}/`, all)).toBe(false);
  }
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1']) {
    const seen = [nothing, { ...nothing, privateNetworks: true }, { ...nothing, loopback: true }].map((rules) =>
      isAllowed(`https://${host}/`, rules),
    );
    expect([host, seen]).toEqual([host, [false, false, true]]);
    expect([host, isAllowed(`http://${host}/`, all)]).toEqual([host, true]);
  }
  expect([isAllowed('http://localhost:8080/', all), isAllowed('http://localhost:8080/')]).toEqual([true, false]);
  expect(isAllowed('http://localhost.evil.example/', all)).toBe(false);
});

test('where clouds keep their secrets, and what stands for other addresses: never, whatever is allowed', () => {
  for (const host of [
    '169.254.169.254',
    '0xa9fea9fe',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '0.0.0.0',
    '0',
    '[::]',
    '224.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
  ]) {
    expect([host, isAllowed(`https://${host}/`, all), isAllowed(`http://${host}/`, all)]).toEqual([host, false, false]);
  }
  const inNetwork = fc.tuple(fc.nat(255), fc.nat(255));
  fc.assert(fc.property(inNetwork, ([c, d]) => !isAllowed(`https://169.254.${c}.${d}/`, all)));
});

const answersWith = (...addresses: string[]) =>
  ((_name: string, _options: unknown, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as never;

test('a name is checked by what it leads to when it is called, by every address of it', async () => {
  const server = createServer((_req, res) => res.writeHead(302, { Location: 'http://169.254.169.254/' }).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const call = (rules: typeof all, ...addresses: string[]) =>
    new Promise<number | string>((resolve) => {
      const options = {
        host: 'store.example',
        port,
        agent: false,
        lookup: guardedLookup(rules, answersWith(...addresses)),
      };
      get(options, (res) => resolve(res.resume().statusCode ?? 0)).on('error', (error) => resolve(error.message));
    });
  try {
    // The redirect is what we see, and not where we went.
    expect(await call(all, '127.0.0.1')).toBe(302);
    expect(await call(nothing, '127.0.0.1')).toContain('127.0.0.1, which is not to be called');
    expect(await call(nothing, '8.8.8.8', '10.0.0.1')).toContain('10.0.0.1, which is not to be called');
    expect(await call(all, '127.0.0.1', '169.254.169.254')).toContain('169.254.169.254');
    expect(await call(all, 'fe80::1%eth0')).toContain('not to be called');
    expect(await call(all)).toContain('no address');
  } finally {
    server.close();
  }
});
