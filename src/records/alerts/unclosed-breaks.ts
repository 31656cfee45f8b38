import type { Knex } from 'knex';
import type { AlertFacts } from '../../domain/alerts/facts.js';
import type { Money } from '../../domain/family/money.js';
import { grouped } from '../../domain/grouped.js';
import { exact, raw, rowsOf } from '../database/statements.js';

type OpenBreaks = AlertFacts['breaks'][number];

/** All that nobody has closed, by kind and severity, with the money that they are about as far as records say it. */
export async function unclosedBreaks(db: Knex): Promise<OpenBreaks[]> {
  const rows = await rowsOf<Omit<OpenBreaks, 'money'> & { currency: string | null; amount: string | null }>(db)`
    SELECT kind, severity, currency, count(*)::integer AS count, ${raw(exact('sum(amount)'))} AS amount,
           coalesce(sum(amount) * coalesce((SELECT rate FROM asset_rates
             WHERE asset_code = currency AND rate IS NOT NULL ORDER BY seen_at DESC LIMIT 1), 1), 0)::float8 AS worth,
           extract(epoch FROM now() - min(opened_at))::float8 AS "oldestSeconds"
    FROM (
      SELECT breaks.kind, breaks.severity, breaks.opened_at,
             coalesce(expected_amount, asked.amount_requested, payouts.amount, invoices.amount, abs(unexplained)) AS amount,
             CASE WHEN expected_amount IS NOT NULL THEN expected_currency
                  WHEN asked.amount_requested IS NOT NULL THEN asked.currency_requested
                  WHEN payouts.amount IS NOT NULL THEN payouts.asset_code
                  WHEN invoices.amount IS NOT NULL THEN currency ELSE balance_proofs.asset_code END AS currency
      FROM breaks
      LEFT JOIN orders ON entity_kind = 'order' AND orders.reference = entity_id
      LEFT JOIN payins ON entity_kind = 'payin' AND payins.id = entity_id
      -- Of an order that nobody registered, the largest of its payments.
      LEFT JOIN LATERAL (
        SELECT amount_requested, currency_requested FROM payment_intents
        WHERE id = ANY (CASE entity_kind WHEN 'payment_intent' THEN ARRAY[entity_id]
          WHEN 'payin' THEN ARRAY[payins.payment_intent_id] WHEN 'order' THEN orders.payment_intents END)
        ORDER BY amount_requested DESC NULLS LAST LIMIT 1
      ) AS asked ON true
      LEFT JOIN payouts ON entity_kind = 'payout' AND payouts.id = entity_id
      LEFT JOIN invoices ON entity_kind = 'invoice' AND invoices.id = entity_id
      LEFT JOIN balance_proofs ON breaks.kind = 'balance_residual' AND balance_proofs.asset_code = entity_id
      WHERE breaks.status IN ('open', 'acknowledged')
    ) AS open
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
