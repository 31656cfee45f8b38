import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { statusFacts } from '../../src/cli/status.js';
import type { CanaryFacts } from '../../src/domain/alerts/facts.js';
import { canaryFacts } from '../../src/records/inbox/canaries.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { createInstallation } from '../support/installation.js';

const database = useDatabase();

type Status = ReturnType<typeof statusFacts>;

/** Before the receiver, as a proxy is: it hands on what comes, or says welcome to everybody. */
async function startProxy() {
  let target: string | null = null;
  const handOn = async (body: Buffer, req: IncomingMessage, res: ServerResponse) => {
    if (target === null) return res.writeHead(200).end('welcome');
    const headers = { 'X-Service-Signature': String(req.headers['x-service-signature']) };
    const answer = await fetch(target, { method: 'POST', body: new Uint8Array(body), headers });
    return res.writeHead(answer.status).end(await answer.text());
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => void handOn(Buffer.concat(chunks), req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    leadTo: (url: string | null) => {
      target = url;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('a proxy that answers in place of the receiver is found by the canary, and the way is well again once it is mended', async () => {
  const proxy = await startProxy();
  const env = { WEBHOOK_PUBLIC_URL: proxy.url, CANARY_MINUTES: '1' };
  const shop = await createInstallation({ databaseUrl: database.url, env });
  const status = async () => JSON.parse((await shop.run(['status', '--json'])).stdout) as Status;
  /** Each minute passes at once. */
  const untilCanary = (what: string, holds: (canary: CanaryFacts | null) => boolean) =>
    until(
      what,
      async () => {
        await database
          .db('canaries')
          .whereNotNull('finished_at')
          .update({
            sent_at: database.db.raw("sent_at - interval '1 minute'"),
          });
        const canary = await canaryFacts(database.db);
        return holds(canary) || canary;
      },
      { intervalMs: 500 },
    );
  try {
    proxy.leadTo(shop.endpoint.url);
    await shop.start('start');
    await untilCanary('one came back', (canary) => canary?.error === null);
    expect((await shop.run(['status'])).stdout).toMatch(/canary came back \d+ \w+ ago: stored after \d+ ms/);

    proxy.leadTo(null);
    await untilCanary('three failed', (canary) => (canary?.failures ?? 0) >= 3);
    const { canary, problems } = await status();
    expect(canary?.error).toBe('answered 200, and the inbox lacks it: something else answers there');
    expect(problems.map(({ name }) => name)).toContain('TallyhookCanaryFails');
    expect(await (await fetch(`${shop.metricsUrls()['start']}/metrics`)).text()).toMatch(
      /^tallyhook_canary_failures [3-9]/m,
    );

    proxy.leadTo(shop.endpoint.url);
    await untilCanary('one came back again', (canary) => canary?.error === null);
    expect(await database.db('secrets').select('label')).toEqual([]);
    expect(shop.logged()).not.toContain(shop.endpoint.secret);
    expect(shop.logged()).toContain('canary failed');
  } finally {
    await shop.close();
    proxy.close();
  }
}, 120_000);
