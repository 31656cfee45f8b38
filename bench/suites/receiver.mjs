// Durable accepts, beside two ceilings and a peer.
import { join } from 'node:path';
import { load } from '../load.mjs';
import { median } from '../median.mjs';
import { during } from '../processes.mjs';
import { figure } from '../report.mjs';
import { ourRequest, stripeRequest, writeRequests } from '../sign.mjs';

const contenders = {
  tallyhook: { make: ourRequest, process: 'serve' },
  'express, no database': { make: ourRequest, process: 'express', goal: 0.9 },
  'bare node:http + HMAC': { make: ourRequest, process: 'bare', goal: 0.4 },
  'stripe-sync-engine': { make: stripeRequest, process: 'stripe', goal: 2.5 },
};

/** One load on each server in turn, rounds times, so that all meet the same weather. */
export async function benchReceiver(bench) {
  const { rounds, seconds, say } = bench;
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, contender] of Object.entries(contenders)) {
      const result = await accepts(bench, contender);
      results[name].push(result);
      say(`round ${round}: ${name}: ${Math.round(result.perSecond)}/s, p99 ${result.p99Ms} ms`);
    }
  }
  const rate = (name) => median(results[name].map(({ perSecond }) => perSecond));
  const own = rate('tallyhook');
  const figures = Object.entries(contenders).map(([name, { goal = null }]) =>
    figure(name, rate(name), goal === null ? {} : { ratio: own / rate(name), to: name, goal }),
  );
  const p99 = median(results.tallyhook.map(({ p99Ms }) => p99Ms));
  return {
    title: `Durable accepts, 64 connections, 1 KB bodies, median of ${rounds} × ${seconds} s`,
    figures: [...figures, figure('tallyhook, p99', p99, { unit: ' ms' })],
  };
}

/** Each server runs warm, and each event is a new one. */
export async function accepts({ databaseUrl, folder, seconds, requests }, { make, process }) {
  const file = join(folder, 'requests');
  writeRequests(file, requests, make);
  return during(process, { databaseUrl, folder }, async ({ port }) => {
    await load({ port, requests: file, seconds: 1 });
    writeRequests(file, requests, make);
    return load({ port, requests: file, seconds });
  });
}
