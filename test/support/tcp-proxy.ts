import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way between two programs that a test may disturb. */
export interface TcpProxy {
  port: number;
  /** Where new connections lead from here on. Those that are open stay where they are. */
  pointTo(port: number): void;
  /** Every piece, in both directions, comes so much later. */
  delay(ms: number): void;
  /** Nothing passes in either direction, in new connections neither; what was sent meanwhile passes after `pass`. */
  hang(): void;
  /** Who connects is refused, and open connections are reset. */
  refuse(): Promise<void>;
  /** Open connections are reset; new ones pass. */
  reset(): void;
  /**
   * The far side is gone without a word: open connections stay open, what is sent is taken, and no answer comes ever
   * again, also after `pass`. New ones pass.
   */
  halfOpen(): void;
  /** All is well again: no delay, no stop. */
  pass(): Promise<void>;
  /** Connections that are open on the near side. */
  open(): number;
  close(): Promise<void>;
}

interface Link {
  near: Socket;
  far: Socket;
}

/** The address, by way of the proxy. */
export function throughProxy(address: string, { port }: TcpProxy): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href;
}

/** On 127.0.0.1, as is the port it leads to. */
export async function createTcpProxy(target: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  const way = { target, delayMs: 0, hangs: false };
  const server = createServer({ allowHalfOpen: false }, (near) => {
    const link = { near, far: connect(way.target, '127.0.0.1') };
    links.add(link);
    near.setNoDelay(true);
    link.far.setNoDelay(true);
    carry(link.near, link.far, way);
    carry(link.far, link.near, way);
    near.once('close', () => links.delete(link));
    if (way.hangs) stop(link);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const reset = () => {
    for (const { near, far } of links) {
      cut(near);
      cut(far);
    }
  };
  const proxy: TcpProxy = {
    port,
    pointTo: (next) => {
      way.target = next;
    },
    delay: (ms) => {
      way.delayMs = ms;
    },
    hang() {
      way.hangs = true;
      for (const link of links) stop(link);
    },
    async refuse() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      reset();
      await closed;
    },
    reset,
    halfOpen() {
      for (const { near, far } of links) {
        near.removeAllListeners('data').resume();
        far.removeAllListeners('close').destroy();
      }
    },
    async pass() {
      way.hangs = false;
      way.delayMs = 0;
      for (const { near, far } of links) {
        near.resume();
        far.resume();
      }
      if (!server.listening) await listen(port);
    },
    open: () => links.size,
    async close() {
      await proxy.refuse();
    },
  };
  return proxy;
}

/** Node leaves the handle of a socket open that is reset while it is ending: such a one ends as it began to. */
function cut(socket: Socket): void {
  if (socket.writableEnded) socket.destroySoon();
  else socket.resetAndDestroy();
}

function stop({ near, far }: Link): void {
  near.pause();
  far.pause();
}

/** One direction. Who closes his end closes the other's, behind what is still on its way. */
function carry(from: Socket, to: Socket, way: { delayMs: number }): void {
  let last: Promise<unknown> = Promise.resolve();
  const after = (act: () => void) => {
    if (way.delayMs === 0 && last === settled) return act();
    const wait = new Promise((resolve) => setTimeout(resolve, way.delayMs));
    const mine = Promise.all([last, wait]).then(act);
    last = mine;
    void mine.then(() => {
      if (last === mine) last = settled;
    });
  };
  last = settled;
  from.on('error', () => {});
  from.on('data', (piece: Buffer) => after(() => void (to.destroyed || to.write(piece))));
  from.once('close', (hadError) =>
    after(() => {
      if (hadError) cut(to);
      else to.destroySoon();
    }),
  );
}

const settled: Promise<unknown> = Promise.resolve();
