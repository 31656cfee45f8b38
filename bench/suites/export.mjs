// A month of BENCH_LINES lines (default a million) out of the books: time, memory and lines per second beside COPY of the same rows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { settings } from '../processes.mjs';
import { parentOf, processorSeconds, serverSeconds } from '../processor-time.mjs';
import { figure } from '../report.mjs';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const MONTH = '2026-03';
const LOOK_EVERY_MS = 50;

/** The rows of the csv export of entries: each line with its entry and its newest rate. */
const SAME_ROWS = `
  SELECT entries.*, line, account, entry_lines.asset_code, amount, memo, rate, currency, source, rate_at, reason
  FROM entries JOIN entry_lines ON entry_id = entries.id LEFT JOIN LATERAL (
    SELECT rate, currency, source, rate_at, reason FROM entry_rates
    WHERE entry_rates.entry_id = entry_lines.entry_id AND entry_rates.asset_code = entry_lines.asset_code
    ORDER BY id DESC LIMIT 1
  ) AS valued ON true
  WHERE month = '${MONTH}' ORDER BY entries.id, line`;

/** The sums that are kept beside the lines; an export holds them against each other. */
const SUMS = `
  INSERT INTO entry_months (month, entries) SELECT month, count(*) FROM entries GROUP BY month;
  INSERT INTO account_months (account, asset_code, month, amount, lines)
    SELECT account, asset_code, month, sum(amount), count(*) FROM entry_lines JOIN entries ON entries.id = entry_id GROUP BY 1, 2, 3;
  INSERT INTO account_values (account, asset_code, month, currency, value, lines)
    SELECT account, asset_code, month, 'USD', amount * 0.9998, lines FROM account_months`;

export async function benchExport(bench) {
  const client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  try {
    await fill(client, bench.lines / 2);
    bench.say(`${bench.lines} lines are posted`);
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const [session] = rows;
    const server = parentOf(session.pid);
    const [began, before] = [performance.now(), processorSeconds(session.pid)];
    await client.query(`COPY (${SAME_ROWS}) TO '${join(bench.folder, 'copied.csv')}' CSV HEADER`);
    const copy = (performance.now() - began) / 1_000;
    const copyCpu = processorSeconds(session.pid) - before;
    bench.say(`COPY: ${copy.toFixed(1)} s, ${copyCpu.toFixed(1)} s of processor time`);
    const figures = [figure('COPY … TO a file, csv', bench.lines / copy, { unit: ' lines/s' })];
    for (const format of ['csv', 'ndjson', 'hledger', 'beancount', 'xlsx']) {
      const { seconds, peak, bytes, cpu, entries } = await exported({ ...bench, server }, format);
      bench.say(
        `${format}: ${seconds.toFixed(1)} s, ${cpu.node.toFixed(1)} s of processor time in Node and ${cpu.postgres.toFixed(1)} s in Postgres, ${Math.round(peak)} MB of memory, ${Math.round(bytes / 1e6)} MB written`,
      );
      // The workbook has sums and no entries; it is measured beside the same number of lines that it adds up.
      const goal = format === 'xlsx' ? {} : { goal: 0.3 };
      const rate = bench.lines / seconds;
      figures.push(
        figure(`export --format ${format}`, rate, {
          unit: ' lines/s',
          ratio: (rate * copy) / bench.lines,
          to: 'COPY',
          ...goal,
        }),
      );
      // An export is all files of the month; this is the one whose rows COPY wrote.
      if (entries !== null)
        figures.push(
          figure(`export --format ${format}, its file of entries`, bench.lines / entries, {
            unit: ' lines/s',
            ratio: copy / entries,
            to: 'COPY',
          }),
        );
      // What a neighbour can't falsify: COPY's processor time by that of Node and Postgres together.
      figures.push(
        figure(`export --format ${format}, processor time`, cpu.node + cpu.postgres, {
          unit: ' s',
          ratio: copyCpu / (cpu.node + cpu.postgres),
          to: 'COPY',
        }),
      );
      figures.push(figure(`export --format ${format}, peak memory`, peak, { unit: ' MB', goal: 200, most: true }));
    }
    return { title: `Export of a month of ${bench.lines} lines`, figures };
  } finally {
    await client.end();
  }
}

/** Written past the triggers, which would take longer than all that is measured: in shape they are as posting makes them. */
async function fill(client, entries) {
  await client.query('SET session_replication_role = replica');
  await client.query(
    `INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, observed, written)
     SELECT 'payment_intent', 'pi_' || lpad(n::text, 24, '0'), 'payment', 1, 'entry', '${MONTH}',
            date '${MONTH}-01' + (n % 31), timestamptz '${MONTH}-01' + n * interval '1 second', date '${MONTH}-01' + (n % 31),
            'status_history', 'payment of order-' || n, json_build_array(json_build_object('kind', 'payment_intent', 'id', 'pi_' || n)),
            json_build_object('type', 'poll', 'ref', '17', 'at', '${MONTH}-01T00:00:00.000Z'), n
     FROM generate_series(1, $1::int) AS n`,
    [entries],
  );
  await client.query(
    `INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
     SELECT id, line, (ARRAY['assets:operating', 'income:payments'])[line], 'USDT.TRC20', (3 - 2 * line) * (10 + id / 1e6)::numeric(36, 6)
     FROM entries, generate_series(1, 2) AS line ORDER BY id, line`,
  );
  await client.query(
    `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at)
     SELECT id, 'USDT.TRC20', 'USD', 0.9998, 'service', at FROM entries ORDER BY id`,
  );
  await client.query(SUMS);
  await client.query('VACUUM ANALYZE entries, entry_lines, entry_rates');
}

/** By a process of its own, as it is used. */
async function exported({ databaseUrl, folder, server }, format) {
  const dir = join(folder, `as-${format}`);
  const [began, before] = [performance.now(), serverSeconds(server)];
  const child = spawn(process.execPath, [CLI, 'export', MONTH, '--format', format, '--out', dir, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...settings({ databaseUrl }) },
  });
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  let [peak, node] = [0, 0];
  const looking = setInterval(() => {
    peak = Math.max(peak, peakMb(child.pid));
    node = Math.max(node, processorSeconds(child.pid));
  }, LOOK_EVERY_MS);
  const [code] = await once(child, 'close');
  clearInterval(looking);
  // 3: written, and named what is not so of these books: no payment was ever in the balance that they hold.
  if (code !== 0 && code !== 3) throw new Error(`export --format ${format} ended with code ${code}`);
  const seconds = (performance.now() - began) / 1_000;
  const files = JSON.parse(output).items.map(({ name }) => ({ name, ...statSync(join(dir, name)) }));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const lines = files.find(({ name }) => name === `${MONTH}-entries.${format}`);
  const entries = lines === undefined ? null : (lines.mtimeMs - lines.birthtimeMs) / 1_000;
  rmSync(dir, { recursive: true });
  const cpu = { node, postgres: serverSeconds(server) - before };
  return { seconds, peak, bytes, cpu, entries };
}

function peakMb(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
