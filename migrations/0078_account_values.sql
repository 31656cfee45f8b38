-- What entries are worth on each account in each month, kept with their rates, as account_months keeps their units: so that what a month
-- opens with is known without adding up all the months before it. Memos count nowhere.
--   value  exact: each line's amount by the newest rate of its entry, where that is in the currency
--   lines  how many lines that are; the others of account_months have no value
SET LOCAL lock_timeout = '5s';
LOCK TABLE entries, entry_lines, entry_rates, account_months IN SHARE ROW EXCLUSIVE MODE;

CREATE TABLE account_values (
  account    text NOT NULL,
  asset_code text NOT NULL,
  month      text NOT NULL,
  currency   text NOT NULL,
  value      numeric NOT NULL,
  lines      bigint NOT NULL,
  PRIMARY KEY (account, asset_code, month, currency)
);

ALTER TABLE account_months ADD COLUMN lines bigint NOT NULL DEFAULT 0;
CREATE OR REPLACE FUNCTION add_account_months() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_months AS kept (account, asset_code, month, amount, lines)
  SELECT account, asset_code, month, sum(amount), count(*) FROM new_lines JOIN entries ON entries.id = entry_id WHERE NOT memo
  GROUP BY account, asset_code, month
  ON CONFLICT (account, asset_code, month) DO UPDATE SET amount = kept.amount + excluded.amount, lines = kept.lines + excluded.lines;
  RETURN NULL;
END $$;

-- An entry's lines are there before its rates are. What it was worth before is taken back.
CREATE FUNCTION add_account_values() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_values AS kept (account, asset_code, month, currency, value, lines)
  SELECT account, asset_code, month, currency, sum(amount * rate * times), sum(times)
  FROM (
    (SELECT DISTINCT ON (entry_id, asset_code) entry_id, asset_code, currency, rate, 1 AS times FROM new_rates
     ORDER BY entry_id, asset_code, id DESC)
    UNION ALL
    SELECT entry_id, asset_code, before.currency, before.rate, -1
    FROM (SELECT entry_id, asset_code, min(id) AS first FROM new_rates GROUP BY entry_id, asset_code) AS valued
    CROSS JOIN LATERAL (
      SELECT currency, rate FROM entry_rates
      WHERE entry_rates.entry_id = valued.entry_id AND entry_rates.asset_code = valued.asset_code AND id < first
      ORDER BY id DESC LIMIT 1
    ) AS before
  ) AS valued
  CROSS JOIN LATERAL (
    SELECT account, amount FROM entry_lines
    WHERE entry_lines.entry_id = valued.entry_id AND entry_lines.asset_code = valued.asset_code AND NOT memo OFFSET 0
  ) AS lines
  CROSS JOIN LATERAL (SELECT month FROM entries WHERE id = valued.entry_id OFFSET 0) AS entries
  WHERE rate IS NOT NULL
  GROUP BY account, asset_code, month, currency
  ON CONFLICT (account, asset_code, month, currency) DO UPDATE SET value = kept.value + excluded.value, lines = kept.lines + excluded.lines;
  RETURN NULL;
END $$;
CREATE TRIGGER entry_rates_by_month AFTER INSERT ON entry_rates REFERENCING NEW TABLE AS new_rates
  FOR EACH STATEMENT EXECUTE FUNCTION add_account_values();
CREATE TRIGGER account_values_kept BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON account_values
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand();

-- What is posted already.
ALTER TABLE account_months DISABLE TRIGGER account_months_kept;
ALTER TABLE account_values DISABLE TRIGGER account_values_kept;
UPDATE account_months SET lines = counted.lines FROM (
  SELECT account, asset_code, month, count(*) AS lines FROM entry_lines JOIN entries ON entries.id = entry_id WHERE NOT memo
  GROUP BY account, asset_code, month
) AS counted
WHERE (account_months.account, account_months.asset_code, account_months.month) = (counted.account, counted.asset_code, counted.month);
INSERT INTO account_values (account, asset_code, month, currency, value, lines)
SELECT account, asset_code, month, currency, sum(amount * rate), count(*)
FROM entry_lines JOIN entries ON entries.id = entry_id JOIN (
  SELECT DISTINCT ON (entry_id, asset_code) entry_id, asset_code, currency, rate FROM entry_rates ORDER BY entry_id, asset_code, id DESC
) AS valued USING (entry_id, asset_code)
WHERE NOT memo AND rate IS NOT NULL GROUP BY account, asset_code, month, currency;
ALTER TABLE account_months ENABLE TRIGGER account_months_kept;
ALTER TABLE account_values ENABLE TRIGGER account_values_kept;
