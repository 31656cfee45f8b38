import type { Knex } from 'knex';
import { raw, rowsOf, run } from './database/statements.js';

const NOTE = { kind: 'service', name: 'clock' };

/** A slow answer, or one of hosts that disagree, says less for a while: that makes nothing younger that was read before. */
const KEPT = "interval '10 minutes'";

/**
 * Notes for all processes how far the service's clock is from the database's. `earliest`: the earliest that it may show now,
 * ms, as polls are dated; where it is only assumed, what is noted stands. The latest of what was measured within ten
 * minutes is kept.
 */
export async function noteServiceClock(
  db: Knex,
  { earliest, isMeasured }: { earliest: number; isMeasured: boolean },
): Promise<void> {
  await run(db)`
    INSERT INTO watermarks (kind, name, value)
    SELECT ${NOTE.kind}, ${NOTE.name}, jsonb_build_object(
      'aheadMs', round(${earliest}::numeric - extract(epoch FROM clock_timestamp()) * 1000), 'isMeasured', ${isMeasured}::boolean)
    ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, updated_at = now()
    WHERE ${isMeasured}::boolean AND (NOT coalesce((watermarks.value ->> 'isMeasured')::boolean, false)
      OR (excluded.value ->> 'aheadMs')::numeric >= (watermarks.value ->> 'aheadMs')::numeric
      OR watermarks.updated_at < now() - ${raw(KEPT)})`;
}

/** The earliest that the service's clock may show now, ms; null while no process has noted it. */
export async function earliestServiceNow(db: Knex): Promise<number | null> {
  const rows = await rowsOf<{ now: string }>(db)`
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000 + (value ->> 'aheadMs')::numeric) AS now
    FROM watermarks WHERE kind = ${NOTE.kind} AND name = ${NOTE.name}`;
  return rows[0] === undefined ? null : Number(rows[0].now);
}
