// What a tick and a page of the read API cost with ever more history in the tables. BENCH_STORED=10000,100000,1000000.
import { setTimeout as delay } from 'node:timers/promises';
import { pages as consolePages } from '../../dist/console/pages/pages.js';
import { openDatabase } from '../../dist/records/database.js';
import { growBooks } from '../books.mjs';
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
/** A table with fewer rows may well be read whole; so may the sums of the match, a row for a day, an asset and a state. */
const BIG = 5_000;
const SUMS = 'match_days';

const apiPages = [
  'payment-intents?take=100',
  'payment-intents?take=100&status=completed',
  'payment-intents?take=100&status=pending',
  'payment-intents?take=100&verified=false',
  'payment-intents?take=100&merchantReference=order-09998000',
  'payment-intents/pi_09998000',
  'orders?take=100',
  'orders?take=100&status=paid',
  'orders?take=100&safe=false',
  'orders?take=100&safe=true&status=paid',
  `orders?take=100&updatedSince=${new Date(Date.now() - 3_600_000).toISOString()}`,
  'orders?take=100&reference=order-09998000,order-09998001,order-09998002',
  'orders?take=100&paymentIntentId=pi_09998000',
  'orders?take=100&txid=nobody',
  'deliveries?take=100&paymentIntentId=pi_09998000',
  'orders/order-09998000',
  'payins?take=100',
  'changes?take=100',
  'events?take=100',
  'breaks?take=100',
  'runs?take=100',
  'runs?take=100&complete=false',
  'entries?take=100&account=assets:operating&assetCode=BTC',
  'match?take=100',
  'match?take=100&state=open',
  'match?take=100&state=matched&age=90%2B&assetCode=BTC',
  'match?take=100&reason=underpaid',
  'match?take=100&reason=underpaid&assetCode=ETH',
  'match/summary',
].map((page) => `/api/v1/${page}`);

/** An order, a beginning, an id, a hash, an address and an e-mail that nobody has, a sentence. */
const questions = [
  'order-09998000',
  'order-0999',
  'pi_09998000',
  '0x5f3a9d0c1b2e4f60718293a4b5c6d7e8f90112233445566778899aabbccddeef',
  'TXYZabcdefghijkmnopqrstuvwxyz12345',
  'nobody@example.com',
  'where are the goods of order-09998000 please',
];
const searches = questions.map((q) => `/api/v1/search?q=${encodeURIComponent(q)}`);
const finds = questions.map((q) => `/find?q=${encodeURIComponent(q)}`);

/** Every list of the console, and the story of an order, a payment and an event. Doctor asks the service, which is not here. */
const humanPages = [
  ...consolePages.map(({ path }) => path).filter((path) => !path.includes(':') && path !== '/doctor'),
  '/orders/order-09998000',
  '/payments/pi_09998000',
  '/events/5000',
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
      `SELECT column_name AS name, udt_name AS type FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = ? AND is_identity = 'NO' AND is_generated = 'NEVER'`,
      [table],
    );
    const key = table === 'orders' ? 'reference' : 'id';
    const named = `right(row.${key}, 8)`;
    const older = `lpad((${named}::bigint - block * ${READ})::text, 8, '0')`;
    const values = rows.map(({ name, type }) => {
      if (name === 'created_at' || (name === 'updated_at' && table === 'orders'))
        return `row.${name} - block * ${READ} * interval '${STEP}'`;
      if (type === 'text') return `replace(row.${name}, ${named}, ${older})`;
      if (type === '_text') return `replace(row.${name}::text, ${named}, ${older})::text[]`;
      return `row.${name}`;
    });
    await withoutTriggers(
      db,
      `INSERT INTO ${table} (${rows.map(({ name }) => name).join(', ')})
       SELECT ${values.join(', ')} FROM ${table} AS row, generate_series(${from / READ}, ${to / READ - 1}) AS block
       WHERE ${named}::bigint BETWEEN ${10_000_000 - READ + 1} AND ${10_000_000 - OPEN}`,
    );
  }
  await growWebhooks(db, from, to);
  await growBooks(db);
  await db.raw('VACUUM ANALYZE');
}

/** What is copied is no news. */
async function withoutTriggers(db, statement) {
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(statement);
  });
}

/** For each older payment an event that was applied, the service's delivery of it, and a line of history, older than all. */
async function growWebhooks(db, from, to) {
  const numbers = [from === READ ? 0 : from, to - 1];
  const at = `now() - n * interval '${STEP}'`;
  const number = "lpad((10000000 - n)::text, 8, '0')";
  await db.raw(
    `INSERT INTO inbox (key, key_type, event_id, content_hash, event_type, event_timestamp, status, source, secret_label,
                        received_at, last_arrival_at, applied_at, attempts, body)
     SELECT 'evt_' || n, 'id', 'evt_' || n, md5(n::text), 'payment_intent.completed', extract(epoch FROM ${at}), 'applied', 'webhook',
            'bench', ${at}, ${at}, ${at}, 1,
            convert_to('{"event":"payment_intent.completed","data":{"id":"pi_' || ${number} || '","note":"' || repeat('x', 300) || '"}}', 'UTF8')
     FROM generate_series(?::bigint, ?::bigint) AS n ORDER BY n DESC`,
    numbers,
  );
  await db.raw(
    `INSERT INTO deliveries (id, endpoint_id, event_type, status, http_status, attempts, last_attempt_at, created_at, event_key,
                             content_hash, ours, class, poll_from, poll_ref, mentions)
     SELECT 'del_' || n, 'we_bench', 'payment_intent.completed', 'delivered', 200, 1, ${at}, ${at}, 'evt_' || n, md5(n::text), true,
            'received', 0, '1', ARRAY['pi_' || ${number}]
     FROM generate_series(?::bigint, ?::bigint) AS n`,
    numbers,
  );
  await db.raw(
    `INSERT INTO changes (seq, entity_kind, entity_id, field, from_value, to_value, source_type, source_ref, service_time, changed_at)
     OVERRIDING SYSTEM VALUE SELECT -1 - n, 'payment_intent', 'pi_' || ${number}, 'status', '"confirming"', '"completed"', 'webhook', n::text, ${at}, ${at}
     FROM generate_series(?::bigint, ?::bigint) AS n ORDER BY n DESC`,
    numbers,
  );
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
  const name = `${size.toLocaleString('en')} stored`;
  return during('console', bench, async ({ port }) => {
    const cookie = await signedIn(port);
    return [
      ...(await looks(db, port, { pages: apiPages, what: 'the read API', name, headers: bearer })),
      ...(await looks(db, port, { pages: humanPages, what: 'the console', name, headers: cookie })),
      ...(await looks(db, port, { pages: ['/'], what: 'the overview', name, headers: cookie })),
      ...(await looks(db, port, { pages: searches, what: 'search', name, headers: bearer, goal: 50 })),
      ...(await looks(db, port, { pages: finds, what: 'find', name, headers: cookie, goal: 50 })),
    ];
  });
}

async function looks(db, port, { pages, what, name, headers, goal = 100 }) {
  const before = await scans(db);
  const times = [];
  for (const page of pages) times.push({ page, ms: await look(port, page, headers) });
  const slowest = times.toSorted((a, b) => b.ms - a.ms)[0];
  const after = await scans(db);
  const ms = { unit: ' ms', most: true, goal };
  const read = (after.pages - before.pages) / (pages.length * LOOKS);
  return [
    figure(`${name}: slowest page of ${what}, ${slowest.page}`, slowest.ms, ms),
    figure(`${name}: pages of Postgres for a page of ${what}`, read, { unit: '', most: true }),
    wholeReads(`${name}: big tables read whole for pages of ${what}`, before, after),
  ];
}

function wholeReads(what, before, after) {
  const whole = Object.keys(after.tables).filter((table) => after.tables[table] > (before.tables[table] ?? 0));
  const named = whole.length === 0 ? what : `${what}: ${whole.join(', ')}`;
  return figure(named, whole.length, { unit: '', most: true, goal: 0 });
}

const bearer = { authorization: `Bearer ${TOKEN}` };

async function signedIn(port) {
  const response = await fetch(`http://127.0.0.1:${port}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: `http://127.0.0.1:${port}` },
    body: new URLSearchParams({ token: TOKEN, next: '/' }),
  });
  const cookie = response.headers.getSetCookie()[0];
  if (cookie === undefined) throw new Error(`the console's sign-in was answered with ${response.status}`);
  return { cookie: cookie.split(';')[0] };
}

async function look(port, page, headers) {
  const times = [];
  for (let turn = 0; turn < LOOKS; turn += 1) {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${page}`, { headers });
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
    'SELECT relname AS name, seq_scan::integer AS count FROM pg_stat_user_tables WHERE n_live_tup >= ? AND relname <> ?',
    [BIG, SUMS],
  );
  const read = await db.raw(
    'SELECT (blks_hit + blks_read)::float8 AS pages FROM pg_stat_database WHERE datname = current_database()',
  );
  return { pages: read.rows[0].pages, tables: Object.fromEntries(rows.map(({ name, count }) => [name, count])) };
}
