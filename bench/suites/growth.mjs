// What a tick and a page of the read API cost with ever more history in the tables. BENCH_STORED=10000,100000,1000000.
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../dist/records/database.js';
import { median } from '../median.mjs';
import { OPEN } from '../payments.mjs';
import { during, TOKEN } from '../processes.mjs';
import { readPayments } from '../read-payments.mjs';
import { figure } from '../report.mjs';

/** So many are read by the reconciler; the older ones are copies of them, made in the database. */
const READ = 5_000;
const TICKS = 5;
const LOOKS = 5;
const STEP = '60 seconds';
/** A table with fewer rows may well be read whole. */
const BIG = 5_000;

const pages = [
  'payment-intents?take=100',
  'payment-intents?take=100&status=completed',
  'payment-intents?take=100&status=pending',
  'payment-intents?take=100&merchantReference=order-09998000',
  'payment-intents/pi_09998000',
  'orders?take=100',
  'orders?take=100&status=paid',
  'orders/order-09998000',
  'payins?take=100',
  'changes?take=100',
  'events?take=100',
  'breaks?take=100',
  'runs?take=100',
];

export async function benchGrowth(bench) {
  const db = openDatabase(bench.databaseUrl, { max: 10, applicationName: 'bench' });
  const newest = Date.now();
  const list = (count, work) =>
    during('list', { ...bench, count, newest }, ({ port }) => work({ db, databaseUrl: bench.databaseUrl, port }));
  const figures = [];
  try {
    await list(READ, (at) => readPayments(at, { full: true }));
    let stored = READ;
    for (const size of bench.stored) {
      await grow(db, stored, size);
      stored = size;
      bench.say(`${size} payments are stored`);
      figures.push(...(await list(size, (at) => ticks(at, size, db))), ...(await reads(bench, db, size)));
    }
  } finally {
    await db.destroy();
  }
  return { title: 'Cost beside ever more stored payments', figures };
}

/** From the newest READ, which a real reading saved, older ones under ids of their own. */
async function grow(db, from, to) {
  for (const table of ['payment_intents', 'payins', 'orders']) {
    const { rows } = await db.raw(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = ? AND is_identity = 'NO' AND is_generated = 'NEVER'`,
      [table],
    );
    const key = table === 'orders' ? 'reference' : 'id';
    const named = `right(row.${key}, 8)`;
    const older = `lpad((${named}::bigint - block * ${READ})::text, 8, '0')`;
    const values = rows.map(({ name, type }) => {
      if (name === 'created_at') return `row.created_at - block * ${READ} * interval '${STEP}'`;
      if (type === 'text') return `replace(row.${name}, ${named}, ${older})`;
      if (type === 'ARRAY') return `replace(row.${name}::text, ${named}, ${older})::text[]`;
      return `row.${name}`;
    });
    await db.raw(
      `INSERT INTO ${table} (${rows.map(({ name }) => name).join(', ')})
       SELECT ${values.join(', ')} FROM ${table} AS row, generate_series(${from / READ}, ${to / READ - 1}) AS block
       WHERE ${named}::bigint BETWEEN ${10_000_000 - READ + 1} AND ${10_000_000 - OPEN}`,
    );
  }
  await db.raw('VACUUM ANALYZE');
}

async function ticks({ databaseUrl, port }, size, watch) {
  const times = [];
  const calls = [];
  const before = await scans(watch);
  const pool = openDatabase(databaseUrl, { max: 10, applicationName: 'bench' });
  try {
    for (let tick = 0; tick < TICKS; tick += 1) {
      const began = performance.now();
      const run = await readPayments({ db: pool, databaseUrl, port }, {});
      times.push(performance.now() - began);
      calls.push(run.calls);
    }
  } finally {
    await pool.destroy();
  }
  const after = await scans(watch);
  const name = `${size.toLocaleString('en')} stored`;
  const pages = (after.pages - before.pages) / TICKS;
  return [
    figure(`${name}: calls of a tick`, median(calls), { unit: '', most: true }),
    figure(`${name}: pages that a tick reads in Postgres`, pages, { unit: '', most: true }),
    figure(`${name}: a tick`, median(times), { unit: ' ms', most: true }),
    wholeReads(`${name}: big tables read whole in a tick`, before, after),
  ];
}

async function reads(bench, db, size) {
  const before = await scans(db);
  const slowest = await during('console', bench, async ({ port }) => {
    const times = [];
    for (const page of pages) times.push({ page, ms: await look(port, page) });
    return times.toSorted((a, b) => b.ms - a.ms)[0];
  });
  const after = await scans(db);
  const name = `${size.toLocaleString('en')} stored`;
  const ms = { unit: ' ms', most: true, goal: 100 };
  return [
    figure(`${name}: slowest page of the read API, ${slowest.page}`, slowest.ms, ms),
    figure(`${name}: pages of Postgres for a page of it`, (after.pages - before.pages) / (pages.length * LOOKS), {
      unit: '',
      most: true,
    }),
    wholeReads(`${name}: big tables read whole for these pages`, before, after),
  ];
}

function wholeReads(what, before, after) {
  const whole = Object.keys(after.tables).filter((table) => after.tables[table] > (before.tables[table] ?? 0));
  const named = whole.length === 0 ? what : `${what}: ${whole.join(', ')}`;
  return figure(named, whole.length, { unit: '', most: true, goal: 0 });
}

async function look(port, page) {
  const times = [];
  for (let turn = 0; turn < LOOKS; turn += 1) {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${page}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    await response.text();
    if (!response.ok) throw new Error(`${page} was answered with ${response.status}`);
    times.push(performance.now() - began);
  }
  return median(times);
}

/** What Postgres itself counted so far, for every statement: pages read, and sequential scans of each table that is big. */
async function scans(db) {
  // Connections that were just closed have handed their counts in; our own does so now.
  await db.raw('SELECT pg_stat_force_next_flush()');
  await delay(200);
  const { rows } = await db.raw(
    'SELECT relname AS name, seq_scan::integer AS count FROM pg_stat_user_tables WHERE n_live_tup >= ?',
    [BIG],
  );
  const read = await db.raw(
    'SELECT (blks_hit + blks_read)::float8 AS pages FROM pg_stat_database WHERE datname = current_database()',
  );
  return { pages: read.rows[0].pages, tables: Object.fromEntries(rows.map(({ name, count }) => [name, count])) };
}
