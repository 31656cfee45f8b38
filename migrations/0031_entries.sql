-- The books: what records of the service, openings and attributions come to in double entry. Append-only.
--   key       which of the things that the record says; version counts the entries of one key from 1
--   type      entry; reversal (of the entry `reverses`); correction (in place of a reversed one); change (a state moved on)
--   corrects  the entry before it of the same key
--   month     the posting period, in the books' zone; date: a day in it
--   at        the service's time of what is booked; dated_by: which one that is
--   day       the day of `at` in the books' zone, by which it is valued
--   adjusts   the closed month that it belongs to; null: its own
--   observed  by what the record was seen so
--   written   the place in the history of changes until which it was known
CREATE TABLE entries (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  record_kind text NOT NULL,
  record_id   text NOT NULL,
  key         text NOT NULL,
  version     integer NOT NULL CHECK (version > 0),
  type        text NOT NULL CHECK (type IN ('entry', 'reversal', 'correction', 'change')),
  reverses    bigint UNIQUE REFERENCES entries,
  corrects    bigint REFERENCES entries,
  month       text NOT NULL CHECK (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  date        date NOT NULL,
  at          timestamptz NOT NULL,
  day         date NOT NULL,
  dated_by    text NOT NULL,
  adjusts     text CHECK (adjusts < month),
  description text NOT NULL,
  sources     jsonb NOT NULL,
  observed    jsonb,
  written     bigint NOT NULL,
  posted_at   timestamptz NOT NULL DEFAULT now(),
  CHECK ((type = 'entry') = (corrects IS NULL)),
  CHECK ((type = 'reversal') = (reverses IS NOT NULL)),
  CHECK (to_char(date, 'YYYY-MM') = month),
  UNIQUE (record_kind, record_id, key, version)
);
CREATE INDEX entries_by_month ON entries (month, id);

-- The legs of an entry; those of an asset add up to zero. A memo is no leg: it says what is known and moves nothing.
CREATE TABLE entry_lines (
  entry_id   bigint NOT NULL REFERENCES entries,
  line       integer NOT NULL,
  account    text NOT NULL CHECK (account ~ '^(assets|liabilities|equity|income|expenses)(:[A-Za-z0-9-]+)+$'),
  asset_code text NOT NULL,
  amount     numeric NOT NULL CHECK (amount <> 'NaN' AND amount <> 0 AND scale(amount) <= 18),
  memo       boolean NOT NULL DEFAULT false,
  PRIMARY KEY (entry_id, line)
);
CREATE INDEX entry_lines_by_account ON entry_lines (account, asset_code, entry_id);

-- What one unit of an asset of an entry was worth, or why that is not known. The newest of an entry and asset counts.
--   source  file (of finance), payment (at which the service converted it), service (its usdRate, as it was seen)
CREATE TABLE entry_rates (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entry_id   bigint NOT NULL REFERENCES entries,
  asset_code text NOT NULL,
  currency   text NOT NULL,
  rate       numeric CHECK (rate <> 'NaN' AND rate > 0),
  source     text CHECK (source IN ('file', 'payment', 'service')),
  rate_at    timestamptz,
  reason     text,
  valued_at  timestamptz NOT NULL DEFAULT now(),
  CHECK ((rate IS NULL) = (reason IS NOT NULL) AND (rate IS NULL) = (source IS NULL) AND (rate IS NULL) = (rate_at IS NULL))
);
CREATE INDEX entry_rates_by_entry ON entry_rates (entry_id, asset_code, id DESC);

-- Rates that finance gave in files, one for a day of the books' zone. The newest of a day, asset and currency counts.
CREATE TABLE given_rates (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  date        date NOT NULL,
  asset_code  text NOT NULL,
  currency    text NOT NULL,
  rate        numeric(36,18) NOT NULL CHECK (rate <> 'NaN' AND rate > 0),
  file_hash   text NOT NULL,
  actor       text NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX given_rates_by_day ON given_rates (asset_code, currency, date, id DESC);

CREATE FUNCTION check_entry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  open text;
BEGIN
  SELECT string_agg(asset_code || ' ' || total, ', ') INTO open FROM (
    SELECT asset_code, sum(amount) AS total FROM entry_lines WHERE entry_id = NEW.entry_id AND NOT memo
    GROUP BY asset_code HAVING sum(amount) <> 0
  ) AS sums;
  IF open IS NOT NULL THEN
    RAISE EXCEPTION 'entry % does not add up to zero: %', NEW.entry_id, open USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entry_lines_balance AFTER INSERT ON entry_lines DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_entry_balance();

CREATE FUNCTION check_entry_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM entry_lines WHERE entry_id = NEW.id) THEN
    RAISE EXCEPTION 'entry % has no lines', NEW.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entries_have_lines AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_entry_lines();

-- Nothing is added to a closed month, whoever writes.
CREATE FUNCTION refuse_closed_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM periods WHERE month = NEW.month AND status = 'closed') THEN
    RAISE EXCEPTION 'the month % is closed', NEW.month USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER entries_open_month BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION refuse_closed_month();

-- A line, or a rate, of an entry that was posted earlier: the first never, the second while its month is open.
CREATE FUNCTION refuse_late_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM entries JOIN new_lines ON entries.id = entry_id WHERE posted_at <> now()) THEN
    RAISE EXCEPTION 'a posted entry gets no more lines' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entry_lines_with_entry AFTER INSERT ON entry_lines REFERENCING NEW TABLE AS new_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_line();
CREATE FUNCTION refuse_closed_rate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM new_rates JOIN entries ON entries.id = entry_id JOIN periods USING (month) WHERE status = 'closed') THEN
    RAISE EXCEPTION 'an entry of a closed month is not valued anew' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entry_rates_open_month AFTER INSERT ON entry_rates REFERENCING NEW TABLE AS new_rates
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_closed_rate();

CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entry_lines_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entry_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entry_rates_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entry_rates
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER given_rates_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON given_rates
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
