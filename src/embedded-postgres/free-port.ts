import { createServer } from 'node:net';

/** The wished port when nobody listens there, else any free one. */
export async function freePort(wished: number | null): Promise<number> {
  const port = (wished === null ? null : await tryPort(wished)) ?? (await tryPort(0));
  if (port === null) throw new Error('No free port on 127.0.0.1');
  return port;
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
