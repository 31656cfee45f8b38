// node bench/shapes.mjs: how long a signed body of 1 MB takes, by its shape, in each step that has no pause in it.
// node bench/shapes.mjs --roles: how long it holds the event loop of each role, by the clock and in processor time.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { eventKey } from '../dist/domain/events/event-key.js';
import { grouped } from '../dist/domain/grouped.js';
import { openEmbeddedPostgres } from '../dist/embedded-postgres/open-embedded-postgres.js';
import { migrate } from '../dist/records/database.js';
import { mergeRecord } from '../dist/records/saving/save-records.js';
import { envelopeOf, readEvent } from '../dist/webhook/observe-event.js';
import { bodies } from './bodies.mjs';
import { during } from './processes.mjs';
import { SECRET } from './sign.mjs';
import { threadTime } from './thread-time.mjs';

const RUNS = 5;
const DONE_MS = 60_000;

const say = (name, cells) => process.stdout.write(`${name.padEnd(28)} ${cells.join('  ')}\n`);

/** Milliseconds of processor time of each step. */
function stepsOf(body) {
  const times = {};
  const timed = (name, work) => {
    const begun = threadTime();
    const made = work();
    times[name] = threadTime() - begun;
    return made;
  };
  const envelope = timed('parse', () => envelopeOf(body.toString()));
  timed('key', () => eventKey({ envelope: envelope.document, headers: {}, pointer: 'auto' }));
  const { event: type, timestamp } = envelope;
  const stored = { id: '1', key: 'k', type, timestamp, source: 'webhook', receivedAt: timestamp * 1_000, body };
  const { observations } = timed('read', () => readEvent(stored, {}, envelope));
  timed('merge', () => {
    for (const some of grouped(observations, ({ kind, id }) => `${kind} ${id}`).values()) {
      const [{ kind, id }] = some;
      const hashed = some.map((observation) => ({ observation, hash: null }));
      mergeRecord(kind, id, null, hashed, {});
    }
  });
  return times;
}

function tellSteps() {
  for (const { name, body } of bodies) {
    const runs = Array.from({ length: RUNS }, () => stepsOf(body()));
    const cells = Object.keys(runs[0]).map((step) => {
      const sorted = runs.map((times) => times[step]).sort((a, b) => a - b);
      return `${step} ${sorted[0].toFixed(0)}–${sorted.at(-1).toFixed(0)}`.padEnd(12);
    });
    say(name, cells);
  }
}

/** Of a role since it was last asked. */
function longestOf({ child }) {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.send('longest');
  });
}

const lineOf = (role, { clock, processor }) =>
  `${role} ${clock.toFixed(0)} ms, ${processor.toFixed(0)} of the processor`.padEnd(40);

async function post(port, body) {
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = { 'X-Service-Signature': `sha256=${signature}` };
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
}

async function until(client, query) {
  for (const end = Date.now() + DONE_MS; Date.now() < end; await delay(20)) {
    const { rows } = await client.query(query);
    if (rows[0].done) return;
  }
  throw new Error(`not done within ${DONE_MS} ms: ${query}`);
}

async function tellRoles(client, at) {
  await during('serve', at, (receiver) =>
    during('worker', at, async (worker) => {
      for (const { name, body } of bodies) {
        await Promise.all([longestOf(receiver), longestOf(worker)]);
        for (let n = 0; n < RUNS; n += 1) {
          await post(receiver.port, body(`pi_${name.replaceAll(/\W/g, '_')}_${n}`, Math.floor(Date.now() / 1_000)));
          await until(client, "SELECT count(*) = 0 AS done FROM inbox WHERE status IN ('received', 'failed')");
        }
        say(name, [lineOf('receiver', await longestOf(receiver)), lineOf('worker', await longestOf(worker))]);
      }
    }),
  );
  await during('schedule', at, async (scheduler) => {
    await longestOf(scheduler);
    await until(client, "SELECT count(*) > 0 AS done FROM runs WHERE kind = 'deliveries' AND status = 'succeeded'");
    say('all of them', [lineOf('scheduler', await longestOf(scheduler))]);
  });
}

async function withDatabase(work) {
  const folder = mkdtempSync(join(tmpdir(), 'tallyhook-shapes-'));
  const postgres = await openEmbeddedPostgres({ dir: folder });
  const client = new pg.Client({ connectionString: postgres.url });
  try {
    await migrate(postgres.url);
    await client.connect();
    const at = { databaseUrl: postgres.url, folder };
    const preload = new URL('watch-loop.mjs', import.meta.url).href;
    await during('sandbox', at, ({ port }) => work(client, { ...at, preload, serviceUrl: `http://127.0.0.1:${port}` }));
  } finally {
    await client.end();
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv.includes('--roles')) await withDatabase(tellRoles);
else tellSteps();
