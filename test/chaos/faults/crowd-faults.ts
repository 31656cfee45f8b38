import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { isLong } from '../../support/drill.js';
import type { World } from '../chaos-world.js';
import type { BadRequest } from '../strangers.js';
import { crowd, type Fault } from './disturb.js';

const DUPLICATES = 10;
const BODIES = isLong ? 10_000 : 1_000;
const IDLE = 1_000;
const SLOW = 300;
const FLOODERS = 32;
const DRIP_MS = 200;
/** A copy may be as much older than its original: well within the tolerance. */
const OLDER_SECONDS = 120;

/** Everything that the service sent last comes ten times more, at once. */
export const duplicates: Fault = crowd(async ({ strangers, load, plan }) => {
  load.send(plan.burst);
  const bodies = await strangers.sentBodies(isLong ? 300 : 60);
  const sending = Promise.all(
    bodies.flatMap(({ text }) => Array.from({ length: DUPLICATES }, () => strangers.send(text))),
  );
  return { end: () => sending };
});

/** Events by the thousand, each of its own time and content, about payments that had theirs. */
export const bodies: Fault = crowd(async ({ strangers, load, plan, sandbox, random }) => {
  load.send(plan.burst);
  const originals = await strangers.sentBodies(50);
  const now = Math.floor(sandbox.control.now() / 1000);
  const sending = Promise.all(
    Array.from({ length: BODIES }, (_, copy) => {
      const timestamp = now - random.below(OLDER_SECONDS);
      const envelope = JSON.parse(random.pick(originals).text) as object;
      return strangers.send(JSON.stringify({ ...envelope, timestamp, copy }));
    }),
  );
  return { end: () => sending };
});

/** Some send their headers by the byte, others their body. */
export const slowloris: Fault = crowd(async (world) => {
  const sockets = await openSockets(world, SLOW);
  const drip = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write('a');
  }, DRIP_MS);
  sockets.forEach((socket, n) => {
    const start = 'POST /webhooks HTTP/1.1\r\nhost: a\r\n';
    socket.write(n % 2 === 0 ? `${start}x-slow: ` : `${start}content-length: 100000\r\n\r\n{`);
  });
  return {
    end: async () => {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
});

export const idle: Fault = crowd(async (world) => {
  const sockets = await openSockets(world, IDLE);
  return {
    end: async () => {
      for (const socket of sockets) socket.destroy();
    },
  };
});

/** As many requests as it takes that say what is not so, in the name of the service, without its secret. */
export const forgedFlood: Fault = crowd(async ({ strangers, sandbox }) => {
  const over = new AbortController();
  const flood = async (flooder: number) => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      const timestamp = Math.floor(sandbox.control.now() / 1000);
      const data = { id: `pi_forged_${flooder}_${n}`, status: 'completed', merchantReference: `forged-${n}` };
      const body = JSON.stringify({ event: 'payment_intent.completed', timestamp, data });
      await strangers.sendBad('forged', { body, secret: n % 3 === 0 ? undefined : `whsec_guess_${n}` });
    }
  };
  const flooding = Promise.all(Array.from({ length: FLOODERS }, (_, flooder) => flood(flooder)));
  return {
    end: () => {
      over.abort();
      return flooding;
    },
  };
});

/** Under the right secret, as far as they are signed: it is the bodies that are bad. */
export const badBodies: Fault = crowd(async ({ strangers, sandbox, installation }) => {
  const { secret } = installation.endpoint;
  const timestamp = Math.floor(sandbox.control.now() / 1000);
  const good = JSON.stringify({ event: 'payment_intent.completed', timestamp, data: { id: 'pi_forged' } });
  const requests: Record<string, BadRequest> = {
    'cut off': { body: good.slice(0, -9), secret },
    'not UTF-8': { body: Buffer.concat([Buffer.from(good), Buffer.from([0xff, 0xfe])]), secret },
    'a list': { body: `[${good}]`, secret },
    'keys twice': { body: good.replace('{', '{"event":"a",'), secret },
    'too deep': { body: good.replace('"pi_forged"', `${'['.repeat(600)}${']'.repeat(600)}`), secret },
    'no time': { body: good.replace(/"timestamp":\d+,/, ''), secret },
    'of long ago': { body: good.replace(/\d{10}/, '1500000000'), secret },
    'of the future': { body: good.replace(/\d{10}/, String(timestamp + 4_000)), secret },
    empty: { body: '', secret },
    'too large': { body: `${good}${' '.repeat(3 * 1024 * 1024)}`, secret },
    compressed: { body: gzipSync(good), secret, headers: { 'content-encoding': 'gzip' } },
    'signed twice': { body: good, headers: { 'x-service-signature': ['sha256=00', 'sha256=00'] } },
    'signed by junk': { body: good, headers: { 'x-service-signature': 'sha256' } },
    unsigned: { body: good },
    changed: { body: good, headers: { 'x-service-signature': `sha256=${'0'.repeat(64)}` } },
    'another method': { method: 'PUT', body: good, secret },
  };
  const sending = Promise.all(
    Array.from({ length: 5 }, () =>
      Object.entries(requests).map(([what, request]) => strangers.sendBad(what, request)),
    ).flat(),
  );
  return { end: () => sending };
});

async function openSockets({ strangers }: World, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(strangers.port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.once('data', (piece) => strangers.count(`${/^HTTP\/1.1 (\d+)/.exec(String(piece))?.[1]} to a slow sender`));
  }
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => {})));
  return sockets;
}
