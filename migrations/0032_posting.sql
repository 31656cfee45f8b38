-- How far the history of changes is posted, and by which table of the contract.
CREATE TABLE posting_progress (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  seq      bigint NOT NULL,
  contract text NOT NULL
);

-- Records to be read though nothing of them changed: their asset was opened, or the contract's table is another.
CREATE TABLE posting_due (
  record_kind text NOT NULL,
  record_id   text NOT NULL,
  PRIMARY KEY (record_kind, record_id)
);

-- Assets whose opening balance is posted.
CREATE TABLE opened_assets (
  asset_code text PRIMARY KEY,
  balance    numeric NOT NULL CHECK (balance <> 'NaN'),
  opened_at  timestamptz NOT NULL
);
