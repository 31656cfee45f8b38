import { afterEach, describe, expect, it } from 'vitest';
import { checkService } from '../../src/wiring/doctor/check-service.js';
import { checkKey } from '../../src/wiring/doctor/examine.js';
import { useDatabase } from '../support/database.js';
import { partsFor, send, startService } from './doctor-service.js';

const database = useDatabase();
const running: { close: () => Promise<unknown> }[] = [];

afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});

describe('the key', () => {
  const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

  it.each([
    ['sk_live_1', 'unknown'],
    [token({ exp: 1_000 }), 'finding'],
    [token({ exp: Math.floor(Date.now() / 1_000) + 3_600 }), 'finding'],
    [token({ exp: Math.floor(Date.now() / 1_000) + 400 * 86_400 }), 'ok'],
    [token({ exp: 1e300 }), 'ok'],
    [token({ exp: 'soon' }), 'unknown'],
    ['a.b.c', 'unknown'],
  ])('%s is %s, and is not printed', (key, status) => {
    const check = checkKey(key, new Date());
    expect(check.status).toBe(status);
    expect(JSON.stringify(check)).not.toContain(key);
  });
});

describe('the clock', () => {
  it.each([-600, 600])('of the service %i s beside ours is a finding, and the rest is examined', async (seconds) => {
    const date = () => new Date(Date.now() + seconds * 1_000).toUTCString();
    const service = await startService({ '*': ({ response }) => send(response, 200, [], { Date: date() }) });
    running.push(service);
    const { checks, unreached } = await checkService(partsFor(database.db, service.url));
    expect(unreached).toBeNull();
    const [clock, ...others] = checks.filter(({ name }) => name === 'clock');
    expect([clock?.status, others]).toEqual(['finding', []]);
    expect(clock?.found).toMatch(
      seconds < 0 ? /^the service’s clock is .*\d min.* behind ours$/ : /\d min.* ahead of ours$/,
    );
  });
});
