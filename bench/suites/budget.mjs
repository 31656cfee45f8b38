// What one event costs, part by part, beside the least that it could cost; and beside what was written down of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { insertRows } from '../floor.mjs';
import { median } from '../median.mjs';
import { serverOf } from '../processor-time.mjs';
import { figure } from '../report.mjs';
import { ourRequest } from '../sign.mjs';
import { applied } from './end-to-end.mjs';
import { accepts } from './receiver.mjs';

const FILE = fileURLToPath(new URL('../budget.json', import.meta.url));
/** By so much one may be over what is written down. */
const SPARE = 1.05;
const TIMED = ['serve', 'work', 'Postgres'];

/**
 * Processor time is given as a multiple of the floor of the same round, bare HTTP with the HMAC and Postgres inserting the row of the
 * inbox, so that another machine can be compared with; statements and WAL are counted. BENCH_KEEP=1 writes the file anew.
 */
export async function benchBudget(bench) {
  const { rounds, say } = bench;
  const client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  const costs = [];
  try {
    const server = await serverOf(client);
    await applied(bench, client);
    for (let round = 1; round <= rounds; round += 1) {
      const bare = (await accepts(bench, { make: ourRequest, process: 'bare' })).microseconds;
      const insert = await insertRows(bench, { client, server });
      const before = await countersOf(client);
      const { micros, events } = await applied(bench, client);
      const after = await countersOf(client);
      const floor = bare + insert;
      const counted = { statements: (after.calls - before.calls) / events, WAL: (after.wal - before.wal) / events };
      const timed = Object.fromEntries(TIMED.map((part, n) => [part, micros[n] / floor]));
      const all = micros.reduce((sum, one) => sum + one) / floor;
      costs.push({ floor, bare, insert, ...timed, all, ...counted });
      say(
        `round ${round}: ${JSON.stringify(costs.at(-1), (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value))}`,
      );
    }
  } finally {
    await client.end();
  }
  const now = Object.fromEntries(Object.keys(costs[0]).map((name) => [name, median(costs.map((one) => one[name]))]));
  const parts = [...TIMED, 'all', 'statements', 'WAL'];
  if (process.env.BENCH_KEEP) {
    const kept = Object.fromEntries(parts.map((part) => [part, Number(now[part].toPrecision(3))]));
    writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);
  }
  const budget = JSON.parse(readFileSync(FILE, 'utf8'));
  const units = { statements: '', WAL: ' bytes' };
  return {
    title: `Cost of an event, median of ${rounds} rounds, beside ${FILE.slice(FILE.lastIndexOf('bench'))}`,
    figures: [
      figure('floor: bare HTTP + HMAC', now.bare, { unit: ' µs' }),
      figure('floor: Postgres inserts its row, 20 at once', now.insert, { unit: ' µs' }),
      figure('all of an event ÷ floor', now.all, { unit: '', goal: 4, most: true }),
      ...parts.map((part) =>
        figure(`${part}${part in units ? '' : ', × floor'}`, now[part], {
          unit: units[part] ?? '',
          ratio: now[part] / budget[part],
          to: 'budget',
          goal: SPARE,
          most: true,
        }),
      ),
    ],
  };
}

/** Statements that clients sent to this server, and bytes of its log. */
async function countersOf(client) {
  const { rows } = await client.query(
    `SELECT (SELECT sum(calls)::float8 FROM pg_stat_statements WHERE toplevel) AS calls,
            pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`,
  );
  return rows[0];
}
