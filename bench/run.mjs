// npm run bench [-- SUITE… --against DIST]: ours, the ceilings and a peer side by side, in one run, as ratios.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openEmbeddedPostgres } from '../dist/embedded-postgres/open-embedded-postgres.js';
import { migrate } from '../dist/records/database.js';
import { markdown, printFigures } from './report.mjs';
import { benchBudget } from './suites/budget.mjs';
import { benchEndToEnd } from './suites/end-to-end.mjs';
import { benchExport } from './suites/export.mjs';
import { benchGrowth } from './suites/growth.mjs';
import { benchLag } from './suites/lag.mjs';
import { benchMemory } from './suites/memory.mjs';
import { benchReceiver } from './suites/receiver.mjs';
import { benchReconcile } from './suites/reconcile.mjs';
import { benchSaves } from './suites/saves.mjs';
import { benchSlowSenders } from './suites/slow-senders.mjs';
import { benchStartUp } from './suites/start-up.mjs';

const suites = {
  receiver: benchReceiver,
  'slow-senders': benchSlowSenders,
  'end-to-end': benchEndToEnd,
  budget: benchBudget,
  lag: benchLag,
  reconcile: benchReconcile,
  saves: benchSaves,
  'start-up': benchStartUp,
  memory: benchMemory,
  growth: benchGrowth,
  export: benchExport,
};

const { positionals: asked, values } = parseArgs({ options: { against: { type: 'string' } }, allowPositionals: true });
const unknown = asked.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  process.stderr.write(`no suite ${unknown.join(', ')}; there are ${Object.keys(suites).join(', ')}\n`);
  process.exit(2);
}

const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const settings = {
  seconds: number('BENCH_SECONDS', 5),
  rounds: number('BENCH_ROUNDS', 3),
  requests: number('BENCH_REQUESTS', 40_000),
  rows: number('BENCH_ROWS', 10_000),
  minutes: number('BENCH_MINUTES', 0.5),
  lines: number('BENCH_LINES', 1_000_000),
  senders: number('BENCH_SENDERS', 1_500),
  bytes: number('BENCH_BYTES', 1_000),
  // Relative to where npm was called; npm itself goes to bench/.
  against: values.against && resolve(process.env.INIT_CWD ?? '.', values.against),
  stored: (process.env.BENCH_STORED ?? '10000,100000').split(',').map(Number),
  say: (text) => process.stderr.write(`${text}\n`),
};

/** Each suite has an empty database of its own. */
async function run(name) {
  const folder = mkdtempSync(join(tmpdir(), 'tallyhook-bench-'));
  let postgres = await openEmbeddedPostgres({ dir: folder });
  try {
    await migrate(postgres.url);
    if (name === 'budget') {
      await countAll(postgres.url);
      await postgres.close();
      postgres = await openEmbeddedPostgres({ dir: folder });
    }
    return (await suites[name]({ ...settings, databaseUrl: postgres.url, folder })) ?? null;
  } finally {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** From the next start on the server counts its statements, and no checkpoint makes it log whole pages. */
async function countAll(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const settings = { shared_preload_libraries: 'pg_stat_statements', checkpoint_timeout: '1h', max_wal_size: '16GB' };
  for (const [setting, value] of Object.entries(settings))
    await client.query(`ALTER SYSTEM SET ${setting} = '${value}'`);
  await client.query('CREATE EXTENSION pg_stat_statements');
  await client.end();
}

const done = [];
for (const name of Object.keys(suites)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const found = await run(name);
  if (!found) continue;
  printFigures(found.title, found.figures);
  done.push({ name, figures: found.figures });
}
const [{ model }] = cpus();
const machine = `${cpus().length} × ${model.trim()}, Node ${process.version}, load ${loadavg()[0].toFixed(1)}`;
if (done.length > 0) process.stdout.write(`\n${machine}\n\n${markdown(done)}\n`);
