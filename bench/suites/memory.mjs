// What the receiver holds while events storm in from 256 connections, for BENCH_MINUTES; the bare server and the peer beside it.
import { join } from 'node:path';
import pg from 'pg';
import { load } from '../load.mjs';
import { median } from '../median.mjs';
import { during } from '../processes.mjs';
import { rssMb } from '../processor-time.mjs';
import { figure } from '../report.mjs';
import { ourRequest, stripeRequest, writeRequests } from '../sign.mjs';

const CONNECTIONS = 256;
const PIECE_SECONDS = 10;
const LOOK_EVERY_MS = 250;

export async function benchMemory(bench) {
  const seconds = bench.minutes * 60;
  const own = await storm(bench, { process: 'serve', make: ourRequest, seconds });
  const bare = await storm(bench, { process: 'bare', make: ourRequest, seconds: PIECE_SECONDS });
  const peer = await storm(bench, { process: 'stripe', make: stripeRequest, seconds: PIECE_SECONDS });
  const mb = { unit: ' MB', most: true };
  return {
    title: `Memory (RSS) under a storm of ${CONNECTIONS} connections, ${seconds} s, ${own.events} events`,
    figures: [
      figure('tallyhook serve, peak', own.peak, { ...mb, goal: 200 }),
      figure('tallyhook serve, median of the last third less that of the second', own.growth, mb),
      figure('bare node:http + HMAC, peak of 10 s', bare.peak, { ...mb, ratio: own.peak / bare.peak, to: 'bare' }),
      figure('stripe-sync-engine, peak of 10 s', peer.peak, { ...mb, ratio: own.peak / peer.peak, to: 'the peer' }),
    ],
  };
}

/** In pieces, so that the bodies to send fit into wrk; the inbox is emptied between them, so that a long one needs no disk. */
async function storm({ databaseUrl, folder, requests, say }, { process, make, seconds }) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const file = join(folder, 'requests');
  try {
    return await during(process, { databaseUrl, folder }, async ({ port, pid }) => {
      const samples = [];
      const looking = setInterval(() => samples.push(rssMb(pid)), LOOK_EVERY_MS);
      let events = 0;
      try {
        for (let left = seconds; left > 0; left -= PIECE_SECONDS) {
          writeRequests(file, requests, make);
          const piece = Math.min(left, PIECE_SECONDS);
          events += Math.round(
            (await load({ port, requests: file, seconds: piece, connections: CONNECTIONS })).perSecond * piece,
          );
          await client.query('TRUNCATE inbox CASCADE');
          say(`${process}: ${events} events, ${Math.round(samples.at(-1))} MB`);
        }
      } finally {
        clearInterval(looking);
      }
      const third = Math.floor(samples.length / 3);
      const growth = median(samples.slice(2 * third)) - median(samples.slice(third, 2 * third));
      return { peak: Math.max(...samples), growth, events };
    });
  } finally {
    await client.end();
  }
}
