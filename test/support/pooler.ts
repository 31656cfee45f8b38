import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `BackendKeyData`: the letter K, a length of 12, the session's number and its key. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

export interface Pooler {
  port: number;
  close(): Promise<void>;
}

/** Stands before a Postgres on 127.0.0.1 and gives every session a number of its own, as poolers do. */
export async function createPooler(target: number): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.pipe(far);
    far.on('data', (piece: Buffer) => near.write(renumbered(piece)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function renumbered(piece: Buffer): Buffer {
  const at = piece.indexOf(KEY_DATA);
  if (at >= 0) piece.writeInt32BE(2_000_000_000, at + KEY_DATA.length);
  return piece;
}
