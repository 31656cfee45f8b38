// The least that Postgres can do for an event: its row of the inbox, inserted by pgbench.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverSeconds } from './processor-time.mjs';

const run = promisify(execFile);
const AT_ONCE = 20;
/** As many flushes as the receiver has under way. */
const CLIENTS = 3;

/** Microseconds of the server's processor time for a row: copies of one that is there, each with a key and a hash of its own. */
export async function insertRows({ databaseUrl, folder, seconds }, { client, server }) {
  await client.query('DROP TABLE IF EXISTS bench_rows; CREATE TABLE bench_rows (LIKE inbox INCLUDING ALL)');
  const { rows } = await client.query(
    `SELECT string_agg(column_name, ', ') AS names FROM information_schema.columns
     WHERE table_name = 'inbox' AND is_identity = 'NO' AND column_name NOT IN ('key', 'content_hash', 'status', 'applied_at')`,
  );
  const [{ names }] = rows;
  const { rows: kept } = await client.query('SELECT min(id) AS id FROM inbox');
  const script = join(folder, 'rows.sql');
  writeFileSync(
    script,
    `INSERT INTO bench_rows (key, content_hash, ${names})
     SELECT gen_random_uuid(), md5(random()::text), ${names} FROM inbox, generate_series(1, ${AT_ONCE}) WHERE id = ${kept[0].id};`,
  );
  const before = serverSeconds(server);
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(CLIENTS),
    '-j',
    '1',
    '-T',
    String(seconds),
    '-f',
    script,
    databaseUrl,
  ];
  const limits = { timeout: (seconds + 60) * 1_000 };
  const { stdout } = await run('pgbench', args, limits);
  const transactions = Number(/transactions actually processed: (\d+)/.exec(stdout)?.[1]);
  if (!(transactions > 0)) throw new Error(`pgbench processed nothing:\n${stdout}`);
  return ((serverSeconds(server) - before) / (transactions * AT_ONCE)) * 1e6;
}
