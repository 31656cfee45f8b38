import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Speaks enough of Postgres' protocol to be asked: a server of any version, or a pooler with any habits. */
export interface PostgresStub {
  url: string;
  /** The statements that came, in order. */
  asked: string[];
  close(): Promise<void>;
}

interface Answers {
  /** What is answered to who connects, so often or always: SQLSTATE and message. */
  refuse?: { code: string; message: string; times?: number };
  /** The one row of an answer, by column. */
  row?: (sql: string) => Record<string, string | null>;
}

const SSL_REQUEST = 80_877_103;

/** Each connection gets a number of its own, as a pooler does. */
export async function createPostgresStub({ refuse, row = () => ({}) }: Answers): Promise<PostgresStub> {
  const asked: string[] = [];
  let refused = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let isStarted = false;
    let waiting: Buffer = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      waiting = Buffer.concat([waiting, piece]);
      for (;;) {
        const head = isStarted ? 1 : 0;
        if (waiting.length < head + 4) return;
        const size = head + waiting.readInt32BE(head);
        if (waiting.length < size) return;
        const message = waiting.subarray(0, size);
        waiting = waiting.subarray(size);
        if (isStarted) {
          if (message[0] !== 0x51) continue;
          const sql = message.subarray(5, -1).toString();
          asked.push(sql);
          socket.write(answered(/^select version\(\)/i.test(sql) ? { version: 'PostgreSQL 16.4' } : row(sql)));
        } else if (message.readInt32BE(4) === SSL_REQUEST) socket.write('N');
        else if (refuse && refused++ < (refuse.times ?? Number.POSITIVE_INFINITY))
          socket.end(framed('E', fields({ S: 'FATAL', C: refuse.code, M: refuse.message })));
        else {
          isStarted = true;
          const number = Buffer.alloc(8);
          number.writeInt32BE(1_000_000 + sockets.size);
          socket.write(Buffer.concat([framed('R', Buffer.alloc(4)), framed('K', number), READY]));
        }
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://ann:hunter2-hunter2@127.0.0.1:${port}/shop`,
    asked,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function framed(letter: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), size, body]);
}

const READY = framed('Z', Buffer.from('I'));

function fields(given: Record<string, string>): Buffer {
  return Buffer.from(
    `${Object.entries(given)
      .map(([letter, text]) => `${letter}${text}\0`)
      .join('')}\0`,
  );
}

/** Columns of text: `int4:name` and `bool:name` are of those types. */
function answered(row: Record<string, string | null>): Buffer {
  const columns = Object.keys(row).map((name) => {
    const [type, bare] = name.includes(':') ? (name.split(':') as [string, string]) : ['text', name];
    const described = Buffer.alloc(18);
    described.writeInt32BE({ int4: 23, bool: 16 }[type] ?? 25, 6);
    described.writeInt16BE(-1, 10);
    described.writeInt32BE(-1, 12);
    return Buffer.concat([Buffer.from(`${bare}\0`), described]);
  });
  const values = Object.values(row).map((value) => {
    const size = Buffer.alloc(4);
    size.writeInt32BE(value === null ? -1 : Buffer.byteLength(value));
    return Buffer.concat([size, Buffer.from(value ?? '')]);
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(columns.length);
  return Buffer.concat([
    framed('T', Buffer.concat([count, ...columns])),
    framed('D', Buffer.concat([count, ...values])),
    framed('C', Buffer.from('SELECT 1\0')),
    READY,
  ]);
}
