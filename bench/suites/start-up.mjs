// `tallyhook start` in an empty folder, until its receiver says that it is ready. The ceiling is Postgres alone: its files
// made, and started; the peer is its migrations on a database that runs.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openEmbeddedPostgres } from '../../dist/embedded-postgres/open-embedded-postgres.js';
import { median } from '../median.mjs';
import { openPeer } from '../peer.mjs';
import { during, serve } from '../processes.mjs';
import { figure } from '../report.mjs';

export async function benchStartUp(bench) {
  const { rounds, folder, say } = bench;
  const seconds = { start: [], postgres: [], peer: [] };
  await during('sandbox', bench, async ({ port }) => {
    for (let round = 1; round <= rounds; round += 1) {
      const at = (name) => {
        const made = join(folder, `${name}-${round}`);
        mkdirSync(made);
        return made;
      };
      seconds.start.push(await timed(() => startedAt(at('start'), `http://127.0.0.1:${port}`)));
      const opened = {};
      seconds.postgres.push(
        await timed(async () => Object.assign(opened, await openEmbeddedPostgres({ dir: at('postgres') }))),
      );
      try {
        seconds.peer.push(await timed(() => openPeer(opened.url)));
      } finally {
        await opened.close();
      }
      say(
        `round ${round}: start ${seconds.start.at(-1).toFixed(2)} s, Postgres alone ${seconds.postgres.at(-1).toFixed(2)} s`,
      );
    }
  });
  const [start, postgres, peer] = [seconds.start, seconds.postgres, seconds.peer].map(median);
  const s = { unit: ' s', most: true };
  return {
    title: `From nothing to ready, with the embedded Postgres, median of ${rounds}`,
    figures: [
      figure('tallyhook start, empty folder', start, { ...s, goal: 2.5 }),
      figure('Postgres alone: initdb and start', postgres, { ...s, ratio: start / postgres, to: 'Postgres alone' }),
      figure('stripe-sync-engine: migrations alone', peer, s),
    ],
  };
}

/** What it took to stop is not counted: the clock is read when it is ready. */
async function timed(work) {
  const began = performance.now();
  const after = await work();
  const took = (performance.now() - began) / 1_000;
  if (typeof after === 'function') await after();
  return took;
}

async function startedAt(folder, serviceUrl) {
  const { port, stop } = await serve('start', { folder, serviceUrl });
  while (!(await isReady(port))) await delay(10);
  return stop;
}

async function isReady(port) {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  return response?.status === 200;
}
