// npm run bench: ours, the ceilings and a peer side by side, in one run, as ratios.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openEmbeddedPostgres } from '../dist/embedded-postgres/open-embedded-postgres.js';
import { migrate } from '../dist/records/database.js';
import { load } from './load.mjs';
import { ourRequest, SECRET, stripeRequest, writeRequests } from './sign.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 6);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 40_000);

const folder = mkdtempSync(join(tmpdir(), 'tallyhook-bench-'));
const say = (text) => process.stderr.write(`${text}\n`);

const PORT = { worker: /metrics +http:.*:(\d+)/, any: /receiver +http:.*:(\d+)/ };
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** What the product needs to run; the service itself is never called. */
const settings = (databaseUrl) => ({
  DATABASE_URL: databaseUrl,
  SERVICE_BASE_URL: 'http://127.0.0.1:9',
  SERVICE_API_KEY: 'bench',
  WEBHOOK_SECRETS: `bench=${SECRET}`,
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_PORT: '0',
  LOG_LEVEL: 'error',
});

/** The contenders, each a process of its own that prints where it listens. */
const processes = {
  ours: (databaseUrl) => ({ args: [CLI, 'serve'], env: settings(databaseUrl) }),
  worker: (databaseUrl) => ({ args: [CLI, 'work'], env: settings(databaseUrl) }),
  express: () => ({ args: [server('express')], env: {} }),
  bare: () => ({ args: [server('bare')], env: {} }),
  stripe: (databaseUrl) => ({ args: [server('stripe'), databaseUrl], env: {} }),
};

function server(name) {
  return fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));
}

async function serve(name, databaseUrl) {
  const { args, env } = processes[name](databaseUrl);
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
  });
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not start within 60 s`)), 60_000);
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code} before it listened`)));
    child.stdout.on('data', (chunk) => {
      const match = PORT[name]?.exec(chunk.toString()) ?? PORT.any.exec(chunk.toString());
      if (!match) return;
      clearTimeout(timer);
      resolve(Number(match[1]));
    });
  });
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners('exit');
      child.once('exit', resolve);
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 20_000).unref();
    });
  return { port, stop };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** One load on each server in turn, ROUNDS times, so that all meet the same weather. */
async function accepts(databaseUrl) {
  const contenders = {
    tallyhook: { make: ourRequest, process: 'ours' },
    'express, no database': { make: ourRequest, process: 'express' },
    'bare node:http + HMAC': { make: ourRequest, process: 'bare' },
    'stripe-sync-engine': { make: stripeRequest, process: 'stripe' },
  };
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [name, { make, process: kind }] of Object.entries(contenders)) {
      const file = join(folder, 'requests');
      writeRequests(file, REQUESTS, make);
      const server = await serve(kind, databaseUrl);
      await load({ port: server.port, requests: file, seconds: 1 });
      writeRequests(file, REQUESTS, make);
      results[name].push(await load({ port: server.port, requests: file, seconds: SECONDS }));
      await server.stop();
      say(
        `round ${round}: ${name}: ${Math.round(results[name].at(-1).perSecond)}/s, p99 ${results[name].at(-1).p99Ms} ms`,
      );
    }
  }
  return results;
}

/** Sends a fixed number of events and waits until every one of them is a record. */
async function applied(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const count = async () =>
    Number((await client.query(`SELECT count(*) FROM inbox WHERE status = 'applied'`)).rows[0].count);
  const waiting = async () =>
    Number((await client.query(`SELECT count(*) FROM inbox WHERE status IN ('received','failed')`)).rows[0].count);
  const rates = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    await client.query('TRUNCATE inbox CASCADE');
    const file = join(folder, 'requests');
    writeRequests(file, REQUESTS, ourRequest);
    const server = await serve('ours', databaseUrl);
    const worker = await serve('worker', databaseUrl);
    const began = Date.now();
    await load({ port: server.port, requests: file, seconds: SECONDS });
    const deadline = Date.now() + 120_000;
    while ((await waiting()) > 0) {
      if (Date.now() > deadline) throw new Error(`after 120 s ${await waiting()} events still wait`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    rates.push((await count()) / ((Date.now() - began) / 1000));
    await server.stop();
    await worker.stop();
    say(`round ${round}: applied end to end ${Math.round(rates.at(-1))}/s`);
  }
  await client.end();
  return rates;
}

function print(accepted, appliedRates) {
  const rate = (name) => median(accepted[name].map((run) => run.perSecond));
  const p99 = (name) => median(accepted[name].map((run) => run.p99Ms));
  const ours = rate('tallyhook');
  const rows = Object.keys(accepted).map((name) => ({
    server: name,
    'accepts/s': Math.round(rate(name)),
    'p99 ms': p99(name).toFixed(1),
    'tallyhook ÷ it': (ours / rate(name)).toFixed(2),
  }));
  const goals = { 'express, no database': 0.85, 'bare node:http + HMAC': 0.35, 'stripe-sync-engine': 2.2 };
  process.stdout.write(
    `\nDurable accepts, 64 connections, 1 KB bodies, median of ${ROUNDS} × ${SECONDS} s, all in this run\n`,
  );
  for (const row of rows) {
    const goal = goals[row.server] ? `  goal ≥ ${goals[row.server]}` : '';
    process.stdout.write(
      `  ${row.server.padEnd(24)} ${String(row['accepts/s']).padStart(7)}/s  p99 ${row['p99 ms'].padStart(6)} ms  ratio ${row['tallyhook ÷ it']}${goal}\n`,
    );
  }
  const end = median(appliedRates);
  const peer = rate('stripe-sync-engine');
  process.stdout.write(`\nEvents applied to records, end to end\n`);
  process.stdout.write(`  ${'tallyhook'.padEnd(24)} ${String(Math.round(end)).padStart(7)}/s\n`);
  process.stdout.write(
    `  ${'stripe-sync-engine'.padEnd(24)} ${String(Math.round(peer)).padStart(7)}/s  (inline)  ratio ${(end / peer).toFixed(2)}  goal ≥ 1\n`,
  );
}

const postgres = await openEmbeddedPostgres({ dir: folder });
try {
  await migrate(postgres.url);
  const accepted = await accepts(postgres.url);
  print(accepted, await applied(postgres.url));
} finally {
  await postgres.close();
  rmSync(folder, { recursive: true, force: true });
}
