// Events that became records, from the first request to the last record; beside the peer's, which writes them inline.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { load } from '../load.mjs';
import { median } from '../median.mjs';
import { during } from '../processes.mjs';
import { processorSeconds, serverOf, serverSeconds } from '../processor-time.mjs';
import { figure } from '../report.mjs';
import { ourRequest, stripeRequest, writeRequests } from '../sign.mjs';
import { accepts } from './receiver.mjs';

const MOST_MS = 180_000;

export async function benchEndToEnd(bench) {
  const { rounds, seconds, say } = bench;
  const peers = [];
  const own = [];
  const costs = [];
  const client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      peers.push((await accepts(bench, { make: stripeRequest, process: 'stripe' })).perSecond);
      const { rate, micros } = await applied(bench, client);
      own.push(rate);
      costs.push(micros);
      say(`round ${round}: applied ${Math.round(rate)}/s, stripe-sync-engine ${Math.round(peers.at(-1))}/s`);
    }
  } finally {
    await client.end();
  }
  const peer = median(peers);
  const rate = median(own);
  return {
    title: `Events applied to records, receiver and worker as two processes, median of ${rounds} × ${seconds} s of load`,
    figures: [
      figure('tallyhook', rate, { ratio: rate / peer, to: 'stripe-sync-engine', goal: 1.5 }),
      figure('stripe-sync-engine, inline', peer),
      ...['serve', 'work', 'Postgres'].map((part, n) =>
        figure(`processor time of an event, ${part}`, median(costs.map((micros) => micros[n])), { unit: ' µs' }),
      ),
    ],
  };
}

/** How many, their rate, and the processor time of one in microseconds: of the receiver, the worker and Postgres. */
export async function applied({ databaseUrl, folder, seconds, requests }, client) {
  await client.query('TRUNCATE inbox CASCADE');
  // Looked at as little as says enough: counting all that waits, twenty times a second, took a tenth of a core from the contenders.
  const someWait = async () =>
    (await client.query(`SELECT 1 FROM inbox WHERE status IN ('received', 'failed') LIMIT 1`)).rowCount > 0;
  const file = join(folder, 'requests');
  writeRequests(file, requests, ourRequest);
  const at = { databaseUrl, folder };
  const server = await serverOf(client);
  return during('serve', at, (receiver) =>
    during('worker', at, async (worker) => {
      const spent = () => [processorSeconds(receiver.pid), processorSeconds(worker.pid), serverSeconds(server)];
      const [began, before] = [performance.now(), spent()];
      await load({ port: receiver.port, requests: file, seconds });
      while (await someWait()) {
        if (performance.now() - began > MOST_MS) throw new Error(`after ${MOST_MS} ms some events still wait`);
        await delay(100);
      }
      const took = (performance.now() - began) / 1_000;
      const used = spent().map((now, n) => now - before[n]);
      const { rows } = await client.query(`SELECT count(*)::integer AS events FROM inbox WHERE status = 'applied'`);
      const [{ events }] = rows;
      return { events, rate: events / took, micros: used.map((second) => (second / events) * 1e6) };
    }),
  );
}
