// Events that became records, from the first request to the last record; beside the peer's, which writes them inline.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { load } from '../load.mjs';
import { median } from '../median.mjs';
import { during } from '../processes.mjs';
import { figure } from '../report.mjs';
import { ourRequest, stripeRequest, writeRequests } from '../sign.mjs';
import { accepts } from './receiver.mjs';

const MOST_MS = 180_000;

export async function benchEndToEnd(bench) {
  const { rounds, seconds, say } = bench;
  const peers = [];
  const own = [];
  const client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      peers.push((await accepts(bench, { make: stripeRequest, process: 'stripe' })).perSecond);
      own.push(await applied(bench, client));
      say(`round ${round}: applied ${Math.round(own.at(-1))}/s, stripe-sync-engine ${Math.round(peers.at(-1))}/s`);
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
    ],
  };
}

async function applied({ databaseUrl, folder, seconds, requests }, client) {
  await client.query('TRUNCATE inbox CASCADE');
  // Looked at as little as says enough: counting all that waits, twenty times a second, took a tenth of a core from the contenders.
  const someWait = async () =>
    (await client.query(`SELECT 1 FROM inbox WHERE status IN ('received', 'failed') LIMIT 1`)).rowCount > 0;
  const file = join(folder, 'requests');
  writeRequests(file, requests, ourRequest);
  const at = { databaseUrl, folder };
  return during('serve', at, ({ port }) =>
    during('worker', at, async () => {
      const began = performance.now();
      await load({ port, requests: file, seconds });
      while (await someWait()) {
        if (performance.now() - began > MOST_MS) throw new Error(`after ${MOST_MS} ms some events still wait`);
        await delay(100);
      }
      const took = (performance.now() - began) / 1_000;
      return (await client.query(`SELECT count(*)::integer FROM inbox WHERE status = 'applied'`)).rows[0].count / took;
    }),
  );
}
