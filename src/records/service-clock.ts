import type { Knex } from 'knex';

const NOTE = { kind: 'service', name: 'clock' };

/**
 * Notes for all processes how far the service's clock is from the database's. `earliest`: the earliest that it may show now,
 * ms, as readings are dated; where it is only assumed, what is noted stands.
 */
export async function noteServiceClock(
  db: Knex,
  { earliest, isMeasured }: { earliest: number; isMeasured: boolean },
): Promise<void> {
  await db.raw(
    `INSERT INTO watermarks (kind, name, value)
     SELECT ?, ?, jsonb_build_object('aheadMs', round(?::numeric - extract(epoch FROM clock_timestamp()) * 1000))
     ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, updated_at = now() WHERE ?::boolean`,
    [NOTE.kind, NOTE.name, earliest, isMeasured],
  );
}

/** The earliest that the service's clock may show now, ms; null while no process has noted it. */
export async function earliestServiceNow(db: Knex): Promise<number | null> {
  const { rows } = await db.raw<{ rows: { now: string }[] }>(
    `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000 + (value ->> 'aheadMs')::numeric) AS now
     FROM watermarks WHERE kind = ? AND name = ?`,
    [NOTE.kind, NOTE.name],
  );
  return rows[0] === undefined ? null : Number(rows[0].now);
}
