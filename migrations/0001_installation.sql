-- What this database belongs to. One row.
CREATE TABLE installation (
  only_one            boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  adopted_at          timestamptz NOT NULL,
  service_base_url    text NOT NULL,
  account_fingerprint text,
  created_at          timestamptz NOT NULL DEFAULT now()
);
