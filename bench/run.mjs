// npm run bench [-- SUITE…]: ours, the ceilings and a peer side by side, in one run, as ratios.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../dist/embedded-postgres/open-embedded-postgres.js';
import { migrate } from '../dist/records/database.js';
import { benchReceiver } from './suites/receiver.mjs';
import { benchSaves } from './suites/saves.mjs';

const suites = { receiver: benchReceiver, saves: benchSaves };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  process.stderr.write(`no suite ${unknown.join(', ')}; there are ${Object.keys(suites).join(', ')}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'tallyhook-bench-'));
const postgres = await openEmbeddedPostgres({ dir: folder });
try {
  await migrate(postgres.url);
  const bench = {
    databaseUrl: postgres.url,
    folder,
    seconds: Number(process.env.BENCH_SECONDS ?? 6),
    rounds: Number(process.env.BENCH_ROUNDS ?? 3),
    requests: Number(process.env.BENCH_REQUESTS ?? 40_000),
    rows: Number(process.env.BENCH_ROWS ?? 20_000),
    say: (text) => process.stderr.write(`${text}\n`),
  };
  for (const [name, suite] of Object.entries(suites)) {
    if (asked.length === 0 || asked.includes(name)) await suite(bench);
  }
} finally {
  await postgres.close();
  rmSync(folder, { recursive: true, force: true });
}
