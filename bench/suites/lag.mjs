// From the request to the changed order, at a steady 200 events a second; beside the peer's record at the same rate.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { during } from '../processes.mjs';
import { figure } from '../report.mjs';
import { ourRequest, stripeRequest } from '../sign.mjs';

const PER_SECOND = 200;
const WARM_SECONDS = 2;
const LOOK_EVERY_MS = 2;
const MOST_MS = 30_000;

export async function benchLag(bench) {
  const own = await during('serve', bench, ({ port }) =>
    during('worker', bench, () =>
      measure(bench, { port, make: ourRequest, keyOf: (body) => body.data.merchantReference, seen: ORDERS }),
    ),
  );
  const peer = await during('stripe', bench, ({ port }) =>
    measure(bench, { port, make: stripeRequest, keyOf: (body) => body.data.object.id, seen: PEER }),
  );
  const ms = { unit: ' ms', most: true };
  return {
    title: `Time from a request to its changed order, ${PER_SECOND} events a second for ${bench.seconds * 2} s`,
    figures: [
      figure('request to changed order, p50', at(own.seen, 0.5), { ...ms, goal: 50 }),
      figure('request to changed order, p99', at(own.seen, 0.99), { ...ms, goal: 250 }),
      figure('request to 200, p50: what is durable by then', at(own.answered, 0.5), { ...ms }),
      figure('stripe-sync-engine, request to record, p50', at(peer.seen, 0.5), { ...ms }),
      figure('stripe-sync-engine, request to record, p99', at(peer.seen, 0.99), { ...ms }),
    ],
  };
}

const ORDERS = 'SELECT reference AS key FROM orders WHERE reference = ANY ($1)';
const PEER = 'SELECT id AS key FROM stripe.payment_intents WHERE id = ANY ($1)';

/** Looks every 2 ms for what was sent and is not there yet, so a time is up to 2 ms and a query too long. */
async function measure({ databaseUrl, seconds }, { port, make, keyOf, seen }) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const waiting = new Map();
  const times = { answered: [], seen: [] };
  let sending = true;
  const looking = (async () => {
    const giveUp = performance.now() + (WARM_SECONDS + seconds * 2) * 1_000 + MOST_MS;
    while (sending || waiting.size > 0) {
      if (performance.now() > giveUp) throw new Error(`${waiting.size} events never showed`);
      const { rows } = waiting.size === 0 ? { rows: [] } : await client.query(seen, [[...waiting.keys()]]);
      const now = performance.now();
      for (const { key } of rows) {
        const { began, counts } = waiting.get(key);
        if (counts) times.seen.push(now - began);
        waiting.delete(key);
      }
      await delay(LOOK_EVERY_MS);
    }
  })();
  const total = PER_SECOND * (WARM_SECONDS + seconds * 2);
  const prefix = Date.now();
  const requests = Array.from({ length: total }, (_, index) => make(prefix + index, Date.now()));
  const start = performance.now();
  const answers = [];
  for (const [index, one] of requests.entries()) {
    const due = start + (index * 1_000) / PER_SECOND;
    const early = due - performance.now();
    if (early > 0) await delay(early);
    const counts = index >= PER_SECOND * WARM_SECONDS;
    const began = performance.now();
    waiting.set(keyOf(JSON.parse(one.body)), { began, counts });
    answers.push(
      post(port, agent, one).then(() => {
        if (counts) times.answered.push(performance.now() - began);
      }),
    );
  }
  try {
    await Promise.all(answers);
    sending = false;
    await looking;
  } finally {
    sending = false;
    agent.destroy();
    await client.end();
  }
  return times;
}

function post(port, agent, { headers, body }) {
  return new Promise((resolve, reject) => {
    const req = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        path: '/webhooks',
        method: 'POST',
        timeout: MOST_MS,
        headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
      },
      (res) => {
        res.resume();
        res.once('end', () => (res.statusCode === 200 ? resolve() : reject(new Error(`answered ${res.statusCode}`))));
      },
    );
    req.once('error', reject);
    req.end(body);
  });
}

function at(times, share) {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
