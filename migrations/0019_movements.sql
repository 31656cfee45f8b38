-- Windows of creation time, ms, of the consolidated feed of movements that were read whole; their bounds are not part of
-- what is proven. counted: as many rows as the service said; read_twice: two readings were alike, where it does not say.
CREATE TABLE feed_windows (
  proof    text NOT NULL CHECK (proof IN ('counted', 'read_twice')),
  from_ms  bigint NOT NULL,
  to_ms    bigint NOT NULL CHECK (to_ms > from_ms),
  PRIMARY KEY (proof, from_ms)
);

-- What each record did to balances, by the contract's table (domain/movements.ts), a line for each effect that is not zero.
--   part        explained; unobservable (no list shows all of its kind); unplaced (a payout of the operating balance or of a
--               sub-wallet: not known which); unclear (its effect is not known)
--   account_id  null: the operating balance
--   delta       null: the amount is not shown
--   base        what of delta stood already when the asset's opening position was taken; null: that part is open still
--   limits      of an amount that is not shown: it is no more than this
--   moved_from  start, in ms of the service's clock, of the reading that brought this effect
CREATE TABLE movements (
  record_kind text NOT NULL,
  record_id   text NOT NULL,
  line        integer NOT NULL,
  part        text NOT NULL CHECK (part IN ('explained', 'unobservable', 'unplaced', 'unclear')),
  operation   text,
  account_id  text,
  asset_code  text,
  delta       numeric CHECK (delta <> 'NaN'),
  base        numeric CHECK (base <> 'NaN'),
  at          timestamptz,
  why         text,
  limits      numeric CHECK (limits <> 'NaN'),
  moved_from  bigint NOT NULL,
  PRIMARY KEY (record_kind, record_id, line)
);
CREATE INDEX movements_by_asset ON movements (asset_code, moved_from);
CREATE INDEX movements_since_opening ON movements (asset_code) WHERE delta IS DISTINCT FROM base;
CREATE INDEX movements_by_account ON movements (account_id, asset_code) WHERE account_id IS NOT NULL;

-- How far the history of changes is worked into `movements`, and by which table of the contract. Up to renewing_to it is
-- worked in once more, because the table is another than before.
CREATE TABLE movements_progress (
  only_one    boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  seq         bigint NOT NULL DEFAULT 0,
  renewing_to bigint NOT NULL DEFAULT 0,
  contract    text NOT NULL
);

-- One row for each asset: its opening position, and how its balance was judged last. Times of the service, but opened_at
-- and asked_at. unknown_amount: what of the residual is put down to known operations whose amount is not shown.
CREATE TABLE balance_proofs (
  asset_code       text PRIMARY KEY,
  opening_balance  numeric CHECK (opening_balance <> 'NaN'),
  opening_at       timestamptz,
  opened_at        timestamptz,
  balance          numeric CHECK (balance <> 'NaN'),
  frozen           numeric CHECK (frozen <> 'NaN'),
  agreed_at        timestamptz,
  explained        numeric,
  unobservable     numeric,
  attributed       numeric,
  unexplained      numeric,
  unknown_amount   numeric,
  unproven         text,
  asked_at         timestamptz NOT NULL,
  run_id           bigint REFERENCES runs
);

-- What finance says of a part of a residual that no list shows. Append-only.
CREATE TABLE balance_attributions (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asset_code text NOT NULL,
  amount     numeric(36,18) NOT NULL CHECK (amount <> 'NaN' AND amount <> 0),
  note       text NOT NULL CHECK (note <> ''),
  actor      text NOT NULL,
  at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX balance_attributions_by_asset ON balance_attributions (asset_code, id);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER balance_attributions_append_only BEFORE UPDATE OR DELETE ON balance_attributions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Rates to the US dollar as the service showed them; null: it could not price the asset. A value once an hour at most.
CREATE TABLE asset_rates (
  asset_code text NOT NULL,
  rate       numeric(36,18) CHECK (rate <> 'NaN' AND rate > 0),
  seen_at    timestamptz NOT NULL,
  source     text NOT NULL
);
CREATE UNIQUE INDEX asset_rates_hourly ON asset_rates
  (asset_code, date_trunc('hour', seen_at AT TIME ZONE 'UTC'), coalesce(rate, 0));
CREATE INDEX asset_rates_by_time ON asset_rates (asset_code, seen_at DESC);

-- To where an asset can be settled (specification 2.7), as the service answered last; JSON text. Null: it can't be.
CREATE TABLE settlement_methods (
  asset_code text PRIMARY KEY,
  content    text,
  read_at    timestamptz NOT NULL
);
