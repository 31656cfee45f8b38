import type { Knex } from 'knex';

/** How many connections this user may have to this database at most, and how many programs other than ours have of them. */
export async function connectionRoom(db: Knex): Promise<{ allowed: number; others: number }> {
  const { rows } = await db.raw<{ rows: { allowed: number; others: number }[] }>(`
    SELECT least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
        (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS allowed,
      (SELECT count(*)::integer FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND application_name NOT LIKE 'tallyhook%') AS others`);
  return rows[0] ?? { allowed: 0, others: 0 };
}
