// Durable accepts, and events applied end to end, beside two ceilings and a peer.
import { join } from 'node:path';
import pg from 'pg';
import { load } from '../load.mjs';
import { median } from '../median.mjs';
import { serve } from '../processes.mjs';
import { ourRequest, stripeRequest, writeRequests } from '../sign.mjs';

export async function benchReceiver(bench) {
  const accepted = await accepts(bench);
  print(accepted, await applied(bench), bench);
}

/** One load on each server in turn, rounds times, so that all meet the same weather. */
async function accepts({ databaseUrl, folder, rounds, seconds, requests, say }) {
  const contenders = {
    tallyhook: { make: ourRequest, process: 'ours' },
    'express, no database': { make: ourRequest, process: 'express' },
    'bare node:http + HMAC': { make: ourRequest, process: 'bare' },
    'stripe-sync-engine': { make: stripeRequest, process: 'stripe' },
  };
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, { make, process: kind }] of Object.entries(contenders)) {
      const file = join(folder, 'requests');
      writeRequests(file, requests, make);
      const server = await serve(kind, { databaseUrl, folder });
      await load({ port: server.port, requests: file, seconds: 1 });
      writeRequests(file, requests, make);
      results[name].push(await load({ port: server.port, requests: file, seconds }));
      await server.stop();
      say(
        `round ${round}: ${name}: ${Math.round(results[name].at(-1).perSecond)}/s, p99 ${results[name].at(-1).p99Ms} ms`,
      );
    }
  }
  return results;
}

/** Sends a fixed number of events and waits until every one of them is a record. */
async function applied({ databaseUrl, folder, rounds, seconds, requests, say }) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const count = async () =>
    Number((await client.query(`SELECT count(*) FROM inbox WHERE status = 'applied'`)).rows[0].count);
  const waiting = async () =>
    Number((await client.query(`SELECT count(*) FROM inbox WHERE status IN ('received','failed')`)).rows[0].count);
  const rates = [];
  for (let round = 1; round <= rounds; round += 1) {
    await client.query('TRUNCATE inbox CASCADE');
    const file = join(folder, 'requests');
    writeRequests(file, requests, ourRequest);
    const server = await serve('ours', { databaseUrl, folder });
    const worker = await serve('worker', { databaseUrl, folder });
    const began = Date.now();
    await load({ port: server.port, requests: file, seconds });
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

function print(accepted, appliedRates, { rounds, seconds }) {
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
    `\nDurable accepts, 64 connections, 1 KB bodies, median of ${rounds} × ${seconds} s, all in this run\n`,
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
