-- The three-way match: for each order, and each invoice or payment that belongs to none, whether what was asked, what was
-- paid and what is booked agree. Derived from records and entries; made anew whenever one of them changes.
--   kind       order, invoice, payment_intent; id: the order's reference, or the record's id
--   opened_on  the day of opened_at in the books' zone
--   reason     the first of `reasons`, by its code
CREATE TABLE matches (
  kind      text NOT NULL CHECK (kind IN ('order', 'invoice', 'payment_intent')),
  id        text NOT NULL,
  state     text NOT NULL CHECK (state IN ('matched', 'partly_matched', 'unmatched')),
  reason    text NOT NULL,
  reasons   jsonb NOT NULL,
  opened_at timestamptz NOT NULL,
  opened_on date NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX matches_by_state ON matches (state, opened_at DESC, kind DESC, id DESC);
CREATE INDEX matches_by_reason ON matches (state, reason, opened_at DESC, kind DESC, id DESC);

-- Its three sides, by asset; what is asked for and not paid also by currency. value: what is booked was worth, exact, as
-- far as it is priced; unpriced: lines that are not.
CREATE TABLE match_amounts (
  kind      text NOT NULL,
  id        text NOT NULL,
  code      text NOT NULL,
  state     text NOT NULL,
  opened_at timestamptz NOT NULL,
  asked     numeric NOT NULL CHECK (asked <> 'NaN'),
  paid      numeric NOT NULL CHECK (paid <> 'NaN'),
  returned  numeric NOT NULL CHECK (returned <> 'NaN'),
  booked    numeric NOT NULL CHECK (booked <> 'NaN'),
  value     numeric NOT NULL CHECK (value <> 'NaN'),
  unpriced  integer NOT NULL,
  PRIMARY KEY (kind, id, code),
  FOREIGN KEY (kind, id) REFERENCES matches ON DELETE CASCADE
);
CREATE INDEX match_amounts_by_code ON match_amounts (code, state, opened_at DESC, kind DESC, id DESC);

-- What each payment is counted with: never with two.
CREATE TABLE match_payments (
  payment_id text PRIMARY KEY,
  kind       text NOT NULL,
  id         text NOT NULL,
  FOREIGN KEY (kind, id) REFERENCES matches ON DELETE CASCADE
);
CREATE INDEX match_payments_by_match ON match_payments (kind, id);

-- The sums of match_amounts by day, kept with them; code '': how many matches there are.
CREATE TABLE match_days (
  opened_on date NOT NULL,
  code      text NOT NULL,
  state     text NOT NULL,
  matches   bigint NOT NULL,
  asked     numeric NOT NULL,
  paid      numeric NOT NULL,
  returned  numeric NOT NULL,
  booked    numeric NOT NULL,
  value     numeric NOT NULL,
  unpriced  bigint NOT NULL,
  PRIMARY KEY (opened_on, code, state)
);

-- How far the history of changes, and the rates of entries, are worked in.
CREATE TABLE match_progress (
  only_one  boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  seq       bigint NOT NULL DEFAULT 0,
  rate_id   bigint NOT NULL DEFAULT 0,
  time_zone text NOT NULL,
  currency  text NOT NULL
);

-- What entries add up to on each account in each month, kept with their lines: memos count nowhere. Balances are proven by the
-- lines; this is for display.
CREATE TABLE account_months (
  account    text NOT NULL,
  asset_code text NOT NULL,
  month      text NOT NULL,
  amount     numeric NOT NULL,
  PRIMARY KEY (account, asset_code, month)
);
CREATE FUNCTION add_account_months() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_months AS kept (account, asset_code, month, amount)
  SELECT account, asset_code, month, sum(amount) FROM new_lines JOIN entries ON entries.id = entry_id WHERE NOT memo
  GROUP BY account, asset_code, month
  ON CONFLICT (account, asset_code, month) DO UPDATE SET amount = kept.amount + excluded.amount;
  RETURN NULL;
END $$;
CREATE TRIGGER entry_lines_by_month AFTER INSERT ON entry_lines REFERENCING NEW TABLE AS new_lines
  FOR EACH STATEMENT EXECUTE FUNCTION add_account_months();
INSERT INTO account_months (account, asset_code, month, amount)
SELECT account, asset_code, month, sum(amount) FROM entry_lines JOIN entries ON entries.id = entry_id WHERE NOT memo
GROUP BY account, asset_code, month;
