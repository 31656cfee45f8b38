import { connect, createServer, type Socket } from 'node:net';

/** What stands in front of several receivers: takes a connection to each in turn, and past one that is down. */
export interface Balancer {
  port: number;
  /** How many connections each port was given. */
  given(): Map<number, number>;
  close(): Promise<void>;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const given = new Map<number, number>(ports.map((port) => [port, 0]));
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((outside) => {
    open.add(outside);
    outside.on('error', () => {}).on('close', () => open.delete(outside));
    const first = turn++;
    const choose = (attempt: number) => {
      const port = ports[(first + attempt) % ports.length];
      if (port === undefined || attempt === ports.length) return outside.destroy();
      const inside = connect(port, '127.0.0.1');
      open.add(inside);
      inside.once('connect', () => {
        given.set(port, (given.get(port) ?? 0) + 1);
        outside.pipe(inside).pipe(outside);
        outside.once('close', () => inside.destroy());
        inside.once('close', () => outside.destroy());
      });
      inside.on('close', () => open.delete(inside));
      inside.on('error', () => (inside.bytesWritten === 0 ? choose(attempt + 1) : outside.destroy()));
      return inside;
    };
    choose(0);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port');
  return {
    port: address.port,
    given: () => given,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
