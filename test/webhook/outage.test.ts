import { connect, createServer, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { createInboxWriter } from '../../src/webhook/inbox-writer.js';
import { useDatabase } from '../support/database.js';
import { startReceiver } from '../support/receiver.js';
import { eventBody } from '../support/signed.js';

const database = useDatabase();

/** A way to the database that can be cut and mended. */
async function createLine(target: URL) {
  const sockets = new Set<Socket>();
  let up = true;
  const server = createServer((socket) => {
    if (!up) {
      socket.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end
        .on('error', () => {})
        .on('close', () => {
          socket.destroy();
          upstream.destroy();
          sockets.delete(end);
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target.href);
  url.port = String((server.address() as { port: number }).port);
  const cut = () => {
    up = false;
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, cut, mend: () => void (up = true), close: () => (cut(), void server.close()) };
}

test('while the database is down: 503 with Retry-After, never another 5xx; up again: 200 by itself', async () => {
  const line = await createLine(new URL(database.url));
  const db = openDatabase(line.url);
  const onNotStored = vi.fn<() => void>();
  const receiver = await startReceiver(db, { onNotStored });
  expect((await receiver.post(eventBody('before'))).status).toBe(200);
  expect(onNotStored).not.toHaveBeenCalled();

  line.cut();
  for (let i = 0; i < 3; i += 1) {
    const answer = await receiver.post(eventBody(`during_${i}`));
    expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(onNotStored).toHaveBeenCalledTimes(3);
  // A refusal needs no database.
  expect((await receiver.post(eventBody('forged'), {})).status).toBe(401);

  line.mend();
  await vi.waitFor(async () => expect((await receiver.post(eventBody('after'))).status).toBe(200), { timeout: 5_000 });
  const stored = await database
    .db('inbox')
    .select(database.db.raw("convert_from(body, 'UTF8')::jsonb #>> '{data,id}' AS id"))
    .orderBy('inbox.id');
  expect(stored.map(({ id }) => id)).toEqual(['before', 'after']);
  await receiver.close();
  // What was counted meanwhile is written in the end.
  expect(await database.db('rejection_counts').select('reason', 'count')).toEqual([
    { reason: 'missing_signature', count: '1' },
  ]);
  await db.destroy();
  line.close();
});

test('sessions that the server ends are replaced without a refusal', async () => {
  const db = openDatabase(database.url, { applicationName: 'doomed' });
  const receiver = await startReceiver(db);
  expect((await receiver.post(eventBody('first'))).status).toBe(200);
  await database.db.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed'");
  expect((await receiver.post(eventBody('second'))).status).toBe(200);
  await receiver.close();
  await db.destroy();
});

test('closing waits for the requests under way and leaves none without an answer', async () => {
  const announced: string[] = [];
  const writer = createInboxWriter({ db: database.db, onStored: (ids) => void announced.push(...ids) });
  let handedIn = 0;
  const store: typeof writer.store = (arrival) => {
    handedIn += 1;
    return writer.store(arrival);
  };
  const receiver = await startReceiver(database.db, { inbox: { store, close: () => writer.close() } });
  const blocker = await database.db.transaction();
  await blocker.raw('LOCK TABLE inbox IN EXCLUSIVE MODE');
  const answers = Array.from({ length: 50 }, (_, i) => receiver.post(eventBody(`closing_${i}`)));
  await vi.waitFor(() => expect(handedIn).toBe(50));
  const closed = receiver.close();
  await blocker.commit();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
  await closed;
  await vi.waitFor(() => expect(announced).toHaveLength(50));
});
