import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';

/**
 * What waits for minutes in a process, such as the check for alerts and the times of the runs, waits by the drill's clock;
 * limits of calls and pauses between attempts stay real.
 */
const LOOPS = '/keep-[a-z-]+[.]js|/[a-z-]+-loop[.]js|/record-heartbeats[.]js|node-cron';
const LOOK_EVERY_MS = 20;

const PRELOADED = `
import { createRequire, syncBuiltinESMExports } from 'node:module';
const loops = new RegExp(${JSON.stringify(LOOPS)});
const promises = createRequire(import.meta.url)('node:timers/promises');
const realDelay = promises.setTimeout;
const realTimeout = globalThis.setTimeout;
promises.setTimeout = async (ms, value, options) => {
  if (!(ms >= 500) || !loops.test(new Error().stack)) return realDelay(ms, value, options);
  for (const due = Date.now() + ms; Date.now() < due; ) await realDelay(${LOOK_EVERY_MS}, undefined, options);
  return value;
};
globalThis.setTimeout = Object.assign((done, ms, ...given) => {
  if (!(ms >= 500) || !loops.test(new Error().stack)) return realTimeout(done, ms, ...given);
  const due = Date.now() + ms;
  const timer = setInterval(() => {
    if (Date.now() < due) return;
    clearInterval(timer);
    done(...given);
  }, ${LOOK_EVERY_MS});
  return timer;
}, realTimeout);
syncBuiltinESMExports();
`;

/** NODE_OPTIONS for the processes, after those of the drill's clock. */
export async function loopsByTheClock(folder: string): Promise<string> {
  const file = path.join(folder, 'loops.mjs');
  await writeFile(file, PRELOADED);
  return `--import=${pathToFileURL(file).href}`;
}

/** The database's now() follows the drill's clock as well. Before anybody else connects to it. */
export async function shiftDatabase(db: Knex, shiftMs: number): Promise<void> {
  await db.raw(`
    CREATE SCHEMA drill;
    CREATE TABLE drill.clock (shift interval NOT NULL);
    CREATE FUNCTION drill.now() RETURNS timestamptz STABLE LANGUAGE sql AS
      'SELECT pg_catalog.now() + shift FROM drill.clock';
    CREATE FUNCTION drill.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
      'SELECT pg_catalog.clock_timestamp() + shift FROM drill.clock';
    INSERT INTO drill.clock VALUES (interval '0');
    DO $$
    DECLARE place record;
    BEGIN
      FOR place IN SELECT table_name, column_name FROM information_schema.columns
                   WHERE table_schema = 'public' AND column_default IN ('now()', 'clock_timestamp()') LOOP
        EXECUTE format('ALTER TABLE public.%I ALTER %I SET DEFAULT drill.now()', place.table_name, place.column_name);
      END LOOP;
      EXECUTE format('ALTER DATABASE %I SET search_path = drill, public, pg_catalog', current_database());
    END $$`);
  await setShift(db, shiftMs);
}

/** Answers its time after that, in ms: whoever heard of the new time writes a later one. */
export async function setShift(db: Knex, shiftMs: number): Promise<number> {
  await db.raw(`UPDATE drill.clock SET shift = ?::float8 * interval '1 millisecond'`, [shiftMs]);
  const { rows } = await db.raw<{ rows: [{ ms: number }] }>(
    'SELECT extract(epoch FROM drill.clock_timestamp())::float8 * 1000 AS ms',
  );
  return rows[0].ms;
}
