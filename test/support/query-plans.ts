import type { Knex } from 'knex';
import pg from 'pg';

export interface SentQuery {
  sql: string;
  bindings: unknown[];
}

/** What `work` sends to the database, and what it returns. */
export async function queriesOf<T>(db: Knex, work: () => Promise<T>): Promise<{ sent: SentQuery[]; result: T }> {
  const sent: SentQuery[] = [];
  const note = ({ sql, bindings }: SentQuery) => void sent.push({ sql, bindings });
  db.on('query', note);
  try {
    return { sent, result: await work() };
  } finally {
    db.removeListener('query', note);
  }
}

/** How the database would answer each of them, in its words. */
export async function plansOfEach(url: string, sent: readonly SentQuery[], explain = 'EXPLAIN'): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const plans: string[] = [];
    for (const { sql, bindings } of sent) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`${explain} ${sql}`, bindings);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  } finally {
    await client.end();
  }
}

/** The same in one text. */
export async function plansOf(...given: Parameters<typeof plansOfEach>): Promise<string> {
  return (await plansOfEach(...given)).join('\n');
}
