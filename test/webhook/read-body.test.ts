import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';

import { BodyRoom, discardRest, readBody } from '../../src/webhook/body-room.js';

const LIMIT = 64 * 1024;

afterEach(() => void vi.useRealTimers());

/** A request whose body the test sends; with a length it has a Content-Length. */
function request(length?: number): PassThrough & IncomingMessage {
  const headers = length === undefined ? {} : { 'content-length': String(length) };
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

/** What came of it without any time passing. */
async function atOnce<Read>(read: Promise<Read>): Promise<Read | 'reads on'> {
  for (let n = 0; n < 10; n += 1) await turn();
  return Promise.race([read, Promise.resolve('reads on' as const)]);
}

const listeners = (req: IncomingMessage) => ['data', 'end', 'close'].map((name) => req.listenerCount(name));

const ample = () => new BodyRoom(1024 * 1024);

test('a body is read whole, in whatever pieces it comes', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 6_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.boolean(), async (sent, announced) => {
      const whole = Buffer.concat(sent);
      const req = request(announced ? whole.length : undefined);
      const read = readBody(req, 12 * 6_000, ample());
      for (const piece of sent) {
        req.write(Buffer.from(piece));
        await turn();
      }
      req.end();
      expect(await read).toEqual(whole);
    }),
    { numRuns: 200 },
  );
});

test('a body of the limit is read, one of a byte more is not', async () => {
  const whole = request(LIMIT);
  const announced = readBody(whole, LIMIT, ample());
  whole.end(Buffer.alloc(LIMIT));
  expect(await announced).toHaveLength(LIMIT);
  for (const excess of [0, 1]) {
    const req = request();
    const read = readBody(req, LIMIT, ample());
    req.write(Buffer.alloc(LIMIT - 1));
    req.end(Buffer.alloc(1 + excess));
    expect(await read).toEqual(excess ? 'too_large' : Buffer.alloc(LIMIT));
  }
});

test('bytes that somebody kept are taken, up to the limit', async () => {
  const read = (bytes: number) => readBody(Object.assign(request(), { body: Buffer.alloc(bytes, 'x') }), 8, ample());
  expect(await read(8)).toEqual(Buffer.from('xxxxxxxx'));
  expect(await read(9)).toBe('too_large');
});

test.each<[string, (req: ReturnType<typeof request>) => unknown]>([
  ['read as text', (req) => req.setEncoding('utf8')],
  ['read and parsed', (req) => Object.assign(req, { body: {} }).resume().write('a')],
])('a stream that was %s before holds the signed bytes no more', async (_name, spoil) => {
  const req = request();
  spoil(req);
  await turn();
  expect(await readBody(req, LIMIT, ample())).toBe('consumed');
});

test('one that was destroyed before is one whose sender went away', async () => {
  const req = request();
  req.destroy();
  await turn();
  expect(await atOnce(readBody(req, LIMIT, ample()))).toBe('aborted');
});

test('somebody who parsed nothing, and read nothing, did no harm', async () => {
  const req = Object.assign(request(), { body: {} });
  req.end('abc');
  expect(await readBody(req, LIMIT, ample())).toEqual(Buffer.from('abc'));
});

test('a body that is shorter than it says was read before us', async () => {
  const req = request(10);
  req.end('abc');
  expect(await readBody(req, LIMIT, ample())).toBe('consumed');
});

test('of one that says that it is too large, nothing is read', async () => {
  const req = request(LIMIT + 1);
  const before = listeners(req);
  const read = readBody(req, LIMIT, ample());
  expect(await atOnce(read)).toBe('too_large');
  expect(listeners(req)).toEqual(before);
});

test('one without a length is read up to the limit', async () => {
  const long = request();
  const read = readBody(long, LIMIT, ample());
  long.write(Buffer.alloc(LIMIT + 1));
  expect(await atOnce(read)).toBe('too_large');
  expect(long.isPaused()).toBe(true);
});

test('the rest of a body is read, and its sender cut off if he goes on for too long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [ends, goesOn, gone] = [request(), request(), request()];
  gone.on('error', () => {}).destroy();
  for (const req of [ends, goesOn, gone]) discardRest(req);
  for (const req of [ends, goesOn]) req.write(Buffer.alloc(16 * 1024 * 1024));
  await turn();
  expect([ends, goesOn].map(({ readableLength }) => readableLength)).toEqual([0, 0]);
  ends.end();
  await turn();
  expect([ends.readableEnded, vi.getTimerCount()]).toEqual([true, 1]);
  vi.advanceTimersByTime(2_999);
  expect(goesOn.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(goesOn.destroyed).toBe(true);
  discardRest(ends);
  expect(vi.getTimerCount()).toBe(0);
});

test('a body that comes byte by byte costs its bytes, not an object for each', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const req = request();
  const read = readBody(req, LIMIT, ample());
  const pieces: WeakRef<Buffer>[] = [];
  for (let i = 0; i < 5_000; i += 1) {
    const piece = Buffer.from('x');
    pieces.push(new WeakRef(piece));
    req.write(piece);
  }
  await turn();
  await turn();
  collect();
  expect(pieces.filter((piece) => piece.deref()).length).toBeLessThan(100);
  req.end();
  expect(await read).toEqual(Buffer.alloc(5_000, 'x'));
});

test('a sender that goes away ends the reading', async () => {
  const req = request(10);
  const read = readBody(req, LIMIT, ample());
  req.write('abc');
  req.destroy(new Error('aborted'));
  expect(await read).toBe('aborted');
});

test('where the bodies under way hold too much, the one that has been for the longest time makes room', async () => {
  const room = new BodyRoom(1_000);
  const slow = request();
  const slowRead = readBody(slow, LIMIT, room);
  slow.write(Buffer.alloc(600));
  await turn();
  const other = request();
  const otherRead = readBody(other, LIMIT, room);
  other.write(Buffer.alloc(300));
  await turn();
  const quick = request();
  const quickRead = readBody(quick, LIMIT, room);
  quick.end(Buffer.alloc(200));
  expect(await slowRead).toBe('evicted');
  expect(slow.isPaused()).toBe(true);
  expect(await quickRead).toHaveLength(200);
  other.end(Buffer.alloc(600));
  expect(await otherRead).toHaveLength(900);
});

test('what is read no longer holds room', async () => {
  const room = new BodyRoom(1_000);
  for (let i = 0; i < 20; i += 1) {
    const req = request();
    const read = readBody(req, LIMIT, room);
    req.write(Buffer.alloc(400));
    await turn();
    if (i % 2) req.destroy();
    else req.end();
    expect(await read).toEqual(i % 2 ? 'aborted' : Buffer.alloc(400));
  }
  const last = request();
  const read = readBody(last, LIMIT, room);
  last.end(Buffer.alloc(1_000));
  expect(await read).toHaveLength(1_000);
});

test('what is too large holds no room either, though more of it comes', async () => {
  const room = new BodyRoom(100_000);
  const slow = request();
  const slowRead = readBody(slow, LIMIT, room);
  slow.write('x');
  for (let i = 0; i < 20; i += 1) {
    const req = request();
    const read = readBody(req, 1_000, room);
    req.write(Buffer.alloc(20_000));
    expect(await read).toBe('too_large');
    req.write(Buffer.alloc(20_000));
  }
  slow.end('y');
  expect(await slowRead).toEqual(Buffer.from('xy'));
});
