import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../support/database.js';
import { type Answered, sendRaw, startReceiver } from '../support/receiver.js';
import { eventBody, sign, signedHeaders } from '../support/signed.js';

const database = useDatabase();
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  receiver = await startReceiver(database.db, { ready: async () => ({ ok: true, problems: [] }) });
});
afterAll(async () => {
  await receiver.close();
});

describe('HTTP', () => {
  test('every other method is refused, naming the right one', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await fetch(`${receiver.url}/webhooks`, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
      const said = '{"error":"method_not_allowed","detail":"webhooks come by POST"}';
      expect([method, await response.text()]).toEqual([method, method === 'HEAD' ? '' : said]);
    }
  });

  test('the runbook’s probe, a GET, leaves nothing behind: it is no rejected request', async () => {
    const probed = await startReceiver(database.db);
    await fetch(`${probed.url}/webhooks`);
    await fetch(`${probed.url}/webhooks`, { method: 'POST' });
    await probed.close();
    const counts = await database.db('rejection_counts').select('reason', 'count');
    expect(counts).toEqual([{ reason: 'missing_signature', count: expect.anything() as number }]);
    expect(counts.map(({ count }) => Number(count))).toEqual([1]);
    expect(await database.db('rejections').pluck('reason')).toEqual(['missing_signature']);
  });

  test('a compressed body is refused, identity is none', async () => {
    const body = eventBody('pi_encoding');
    const headers = signedHeaders(body);
    for (const encoding of ['gzip', 'identity, br', 'deflate']) {
      const refused = await receiver.post(body, { ...headers, 'content-encoding': encoding });
      expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    }
    expect((await receiver.post(body, { ...headers, 'content-encoding': 'Identity' })).status).toBe(200);
  });

  test('the Content-Type is not read', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'nonsense',
      'application/json; charset=utf-16',
    ]) {
      const body = eventBody(`pi_${type}`);
      expect((await receiver.post(body, { ...signedHeaders(body), 'content-type': type })).status).toBe(200);
    }
  });

  test('nothing else is public', async () => {
    for (const [path, status] of Object.entries({
      '/livez': 200,
      '/readyz': 200,
      '/webhooks?from=proxy': 405,
      '/': 404,
      '/webhooks/other': 404,
      '/metrics': 404,
      '/%ff': 404,
    })) {
      const response = await fetch(`${receiver.url}${path}`);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get('x-powered-by')).toBeNull();
    }
  });

  test('is not ready while events could not be stored', async () => {
    const unready = await startReceiver(database.db, { ready: async () => ({ ok: false, problems: ['schema'] }) });
    const response = await fetch(`${unready.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([503, { ok: false }]);
    await unready.close();
  });

  test('every request is in the metrics, by its answer', async () => {
    const before = await results();
    await receiver.post(eventBody('pi_metrics'));
    await receiver.post(eventBody('pi_metrics'));
    await receiver.post(eventBody('pi_metrics'), {});
    const after = await results();
    const grown = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(grown.toSorted()).toEqual(['accepted', 'duplicate', 'missing_signature']);
  });
});

async function results(): Promise<Record<string, number>> {
  const { values } = await receiver.metrics.webhookRequests.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]));
}

describe('bodies that do not come whole', () => {
  const stillWell = async (): Promise<Answered> => receiver.post(eventBody(`pi_after_${Math.random()}`));
  const request = (headers: string) =>
    `POST /webhooks HTTP/1.1\r\nHost: a\r\nX-Service-Signature: ${sign('')}\r\n${headers}\r\n`;

  test('too large by its Content-Length: 413', async () => {
    const body = eventBody('x'.repeat(65 * 1024));
    expect(await receiver.post(body)).toMatchObject({ status: 413, body: { error: 'too_large' } });
    expect((await stillWell()).status).toBe(200);
  });

  test('exactly as large as the limit: fine', async () => {
    const frame = eventBody('').length;
    expect((await receiver.post(eventBody('x'.repeat(64 * 1024 - frame)))).status).toBe(200);
    expect((await receiver.post(eventBody('x'.repeat(64 * 1024 - frame + 1)))).status).toBe(413);
  });

  test('too large in chunks, without Content-Length: 413', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const bytes = `${request('Transfer-Encoding: chunked\r\nConnection: close\r\n')}${chunk.repeat(5)}0\r\n\r\n`;
    expect(await sendRaw(receiver.port, bytes)).toMatch(/^HTTP\/1.1 413 .*too_large/s);
    expect((await stillWell()).status).toBe(200);
  });

  test('announced far too large: answered without waiting for it', async () => {
    const answer = await sendRaw(receiver.port, request('Content-Length: 99999999999\r\n'));
    expect(answer).toMatch(/^HTTP\/1.1 413 .*Connection: close/s);
  });

  test('cut off in the middle: nobody is answered with 200, nothing crashes', async () => {
    const answer = await sendRaw(receiver.port, `${request('Content-Length: 100\r\n')}{"event"`, { end: true });
    expect(answer).not.toMatch(/HTTP\/1.1 (200|5)/);
    const chunked = await sendRaw(receiver.port, `${request('Transfer-Encoding: chunked\r\n')}64\r\n{"ev`, {
      end: true,
    });
    expect(chunked).not.toMatch(/HTTP\/1.1 (200|5)/);
    expect((await stillWell()).status).toBe(200);
    await vi.waitFor(async () => expect((await results())['aborted']).toBeGreaterThan(0));
  });

  test('no HTTP at all', async () => {
    expect(await sendRaw(receiver.port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect((await stillWell()).status).toBe(200);
  });
});
