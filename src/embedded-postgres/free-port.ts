import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what systems hand out to outgoing connections: while a server is down for a moment, no connection of anybody
 * takes its port, so that it can come back where its clients look for it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 50;

/** The preferred port when nobody listens there, else any free one. */
export async function freePort(preferred: number | null): Promise<number> {
  const random = Array.from({ length: TRIES }, () => randomInt(LOWEST, HIGHEST));
  for (const candidate of [...(preferred === null ? [] : [preferred]), ...random, 0]) {
    const port = await tryPort(candidate);
    if (port !== null) return port;
  }
  throw new Error('No free port on 127.0.0.1');
}

async function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}
