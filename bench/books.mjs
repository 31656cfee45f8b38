/** What is booked of each payment, in one of eight assets, and how its order is matched: one in fifty is short, another not paid. */
const NUMBER = 'right(id, 8)::bigint';
const ASSETS = `ARRAY['USDT.TRC20', 'USDC.POLYGON', 'DAI.ERC20', 'BTC', 'ETH', 'LTC', 'XRP.XRPL', 'POL.POLYGON']`;
const PAYMENTS = `SELECT id, merchant_reference AS reference, (${ASSETS})[1 + ${NUMBER} % 8] AS asset, created_at AS at,
    CASE WHEN status <> 'completed' OR ${NUMBER} % 50 = 1 THEN 'unmatched' WHEN ${NUMBER} % 50 = 0 THEN 'partly_matched' ELSE 'matched' END AS state,
    CASE WHEN ${NUMBER} % 50 = 0 THEN 62.75 ELSE 125.50 END AS gross
  FROM payment_intents WHERE NOT EXISTS (SELECT FROM match_payments WHERE payment_id = payment_intents.id)`;

/**
 * Writes them past the triggers, which would take longer than all that is measured: in shape they are as posting and matching
 * make them.
 */
export async function growBooks(db) {
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(`CREATE TEMPORARY TABLE fresh ON COMMIT DROP AS ${PAYMENTS}`);
    await trx.raw('ANALYZE fresh');
    await book(trx);
    await match(trx);
  });
}

async function book(trx) {
  await trx.raw(`INSERT INTO opened_assets (asset_code, balance, opened_at) SELECT DISTINCT asset, 0, '2020-01-01'::timestamptz FROM fresh
    ON CONFLICT DO NOTHING`);
  await trx.raw(
    `INSERT INTO movements (record_kind, record_id, line, part, operation, asset_code, delta, base, at, moved_from)
     SELECT 'payment_intent', id, 0, 'explained', 'paymentCollected', asset, gross * 0.99, 0, at, 0 FROM fresh WHERE state <> 'unmatched'`,
  );
  await trx.raw(
    `INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, observed, written)
     SELECT 'payment_intent', id, 'payment', 1, 'entry', to_char(at, 'YYYY-MM'), at::date, at, at::date, 'status_history', 'payment of ' || reference,
            json_build_array(json_build_object('kind', 'payment_intent', 'id', id)), json_build_object('type', 'poll', 'ref', '1', 'at', at), 1
     FROM fresh WHERE state <> 'unmatched' ORDER BY fresh.at`,
  );
  await trx.raw(
    `INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
     SELECT entries.id, line, account, asset, share * gross
     FROM fresh JOIN entries ON record_kind = 'payment_intent' AND record_id = fresh.id,
          (VALUES (0, 'assets:operating', 0.99), (1, 'expenses:fees:service', 0.01), (2, 'income:payments', -1)) AS legs (line, account, share)
     ORDER BY entries.id, line`,
  );
  await trx.raw(
    `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at)
     SELECT entries.id, asset, 'USD', 0.9998, 'service', entries.at
     FROM fresh JOIN entries ON record_kind = 'payment_intent' AND record_id = fresh.id ORDER BY entries.id`,
  );
  await trx.raw('DELETE FROM entry_months');
  await trx.raw('INSERT INTO entry_months (month, entries) SELECT month, count(*) FROM entries GROUP BY month');
  await trx.raw('DELETE FROM account_months');
  await trx.raw(
    `INSERT INTO account_months (account, asset_code, month, amount)
     SELECT account, asset_code, month, sum(amount) FROM entry_lines JOIN entries ON entries.id = entry_id GROUP BY account, asset_code, month`,
  );
}

async function match(trx) {
  await trx.raw(
    `INSERT INTO matches (kind, id, state, reason, reasons, opened_at, opened_on)
     SELECT 'order', reference, state, code, json_build_array(json_build_object('code', code, 'told', told)), at, at::date
     FROM fresh JOIN (VALUES ('matched', 'agreed', 'asked, paid and booked agree'),
       ('partly_matched', 'underpaid', '62.75 USDT.TRC20 came in, asked were 125.5 USDT.TRC20'),
       ('unmatched', 'not_paid', 'nothing came in yet of 125.5 USDT.TRC20')) AS words (state, code, told) USING (state)`,
  );
  await trx.raw(
    `INSERT INTO match_amounts (kind, id, code, state, opened_at, asked, paid, returned, booked, value, unpriced)
     SELECT 'order', reference, asset, state, at, 125.50, came, 0, came, came * 0.9998, 0
     FROM fresh CROSS JOIN LATERAL (SELECT CASE WHEN state = 'unmatched' THEN 0 ELSE gross END AS came) AS paid`,
  );
  await trx.raw(`INSERT INTO match_payments (payment_id, kind, id) SELECT id, 'order', reference FROM fresh`);
  await trx.raw('DELETE FROM match_days');
  await trx.raw(
    `INSERT INTO match_days (opened_on, code, state, matches, asked, paid, returned, booked, value, unpriced)
     SELECT opened_on, '', state, count(*), 0, 0, 0, 0, 0, 0 FROM matches GROUP BY opened_on, state
     UNION ALL
     SELECT opened_on, code, matches.state, count(*), sum(asked), sum(paid), sum(returned), sum(booked), sum(value), sum(unpriced)
     FROM matches JOIN match_amounts USING (kind, id) GROUP BY opened_on, code, matches.state`,
  );
}
