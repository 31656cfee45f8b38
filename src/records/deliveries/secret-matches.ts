import type { Knex } from 'knex';

/** How often a secret matched on one day, UTC. */
export interface DayOfMatches {
  /** Its first moment. */
  day: Date;
  count: number;
}

/** Of each label that ever matched, its last `days` days, the oldest first; a day without a match counts 0. */
export async function matchesPerDay(db: Knex, now: Date, days: number): Promise<Map<string, DayOfMatches[]>> {
  const today = Math.floor(now.getTime() / 86_400_000) * 86_400_000;
  const first = today - (days - 1) * 86_400_000;
  const { rows } = await db.raw<{ rows: { label: string; day: string; count: number }[] }>(
    `SELECT label, to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, sum(count)::float8 AS count
     FROM secret_matches WHERE hour >= ? GROUP BY 1, 2`,
    [new Date(first)],
  );
  const labels = [...new Set(rows.map(({ label }) => label))];
  return new Map(
    labels.map((label) => {
      const own = new Map(rows.filter((row) => row.label === label).map(({ day, count }) => [day, count]));
      return [
        label,
        Array.from({ length: days }, (_, index) => {
          const day = new Date(first + index * 86_400_000);
          return { day, count: own.get(day.toISOString().slice(0, 10)) ?? 0 };
        }),
      ];
    }),
  );
}
