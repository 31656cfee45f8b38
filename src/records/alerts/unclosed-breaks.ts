import type { Knex } from 'knex';
import type { AlertFacts } from '../../domain/alerts/facts.js';
import type { Money } from '../../domain/family/money.js';
import { grouped } from '../../domain/grouped.js';
import { BREAKS_WITH_MONEY } from '../breaks/break-money.js';
import { exact, raw, rowsOf } from '../database/statements.js';

type OpenBreaks = AlertFacts['breaks'][number];

/** All that nobody has closed, by kind and severity, with the money that they are about as far as records say it. */
export async function unclosedBreaks(db: Knex): Promise<OpenBreaks[]> {
  const rows = await rowsOf<Omit<OpenBreaks, 'money'> & { currency: string | null; amount: string | null }>(db)`
    SELECT kind, severity, currency, count(*)::integer AS count, ${raw(exact('sum(amount)'))} AS amount,
           coalesce(sum(amount) * coalesce((SELECT rate FROM asset_rates
             WHERE asset_code = currency AND rate IS NOT NULL ORDER BY seen_at DESC LIMIT 1), 1), 0)::float8 AS worth,
           extract(epoch FROM now() - min(opened_at))::float8 AS "oldestSeconds"
    FROM ${BREAKS_WITH_MONEY} AS concerned WHERE status IN ('open', 'acknowledged')
    GROUP BY kind, severity, currency ORDER BY kind, severity, currency`;
  return [...grouped(rows, ({ kind, severity }) => `${kind} ${severity}`).values()].map((alike) => {
    const [{ kind, severity }] = alike as [(typeof rows)[number]];
    return {
      kind,
      severity,
      count: alike.reduce((sum, { count }) => sum + count, 0),
      worth: alike.reduce((sum, { worth = 0 }) => sum + worth, 0),
      oldestSeconds: Math.max(...alike.map(({ oldestSeconds }) => oldestSeconds)),
      money: alike.flatMap(({ amount, currency }): Money[] =>
        amount === null || currency === null ? [] : [{ amount, currency }],
      ),
    };
  });
}
