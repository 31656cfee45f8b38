// Durable accepts, beside two ceilings and a peer; also what another build of ours did, where one is given.
import { join } from 'node:path';
import { load } from '../load.mjs';
import { median } from '../median.mjs';
import { during } from '../processes.mjs';
import { processorSeconds } from '../processor-time.mjs';
import { figure } from '../report.mjs';
import { ourRequest, stripeRequest, writeRequests } from '../sign.mjs';

const contendersOf = ({ against }) => ({
  tallyhook: { make: ourRequest, process: 'serve' },
  ...(against && { [against]: { make: ourRequest, process: 'serve', dist: against } }),
  'mounted in an Express app': { make: ourRequest, process: 'mounted' },
  'library, router alone': { make: ourRequest, process: 'router' },
  'library, without Express and raw-body': { make: ourRequest, process: 'steps' },
  'router, no database': { make: ourRequest, process: 'storeless', goal: 0.9 },
  'bare node:http + HMAC': { make: ourRequest, process: 'bare', goal: 0.4 },
  'stripe-sync-engine': { make: stripeRequest, process: 'stripe', goal: 2.5 },
});

/** One load on each server in turn, rounds times, so that all meet the same weather. */
export async function benchReceiver(bench) {
  const { rounds, seconds, say } = bench;
  const contenders = contendersOf(bench);
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, contender] of Object.entries(contenders)) {
      const result = await accepts(bench, contender);
      results[name].push(result);
      const { perSecond, p99Ms, microseconds } = result;
      say(`round ${round}: ${name}: ${Math.round(perSecond)}/s, p99 ${p99Ms} ms, ${Math.round(microseconds)} µs each`);
    }
  }
  const of = (name, what) => median(results[name].map((result) => result[what]));
  const beside = (name, what, more = {}) =>
    name === 'tallyhook' ? {} : { ratio: of('tallyhook', what) / of(name, what), to: name, ...more };
  const rates = Object.entries(contenders).map(([name, { goal = null }]) =>
    figure(name, of(name, 'perSecond'), beside(name, 'perSecond', { goal })),
  );
  const times = Object.keys(contenders).map((name) =>
    figure(`${name}, Node per event`, of(name, 'microseconds'), { unit: ' µs', ...beside(name, 'microseconds') }),
  );
  return {
    title: `Durable accepts, 64 connections, 1 KB bodies, median of ${rounds} × ${seconds} s`,
    figures: [...rates, ...times, figure('tallyhook, p99', of('tallyhook', 'p99Ms'), { unit: ' ms' })],
  };
}

/** Each server runs warm, and each event is a new one. `microseconds` is processor time of the server's process. */
export async function accepts({ databaseUrl, folder, seconds, requests }, { make, process, dist }) {
  const file = join(folder, 'requests');
  writeRequests(file, requests, make);
  return during(process, { databaseUrl, folder, dist }, async ({ port, pid }) => {
    await load({ port, requests: file, seconds: 1 });
    writeRequests(file, requests, make);
    const before = processorSeconds(pid);
    const loaded = await load({ port, requests: file, seconds });
    return { ...loaded, microseconds: ((processorSeconds(pid) - before) * 1e6) / (loaded.perSecond * seconds) };
  });
}
