-- A table for each further kind of record, with the columns of every record table (0005_records.sql, 0013_poll_source.sql)
-- and those that it is searched by. Balances and assets have no time of creation: theirs is null; their id is the asset
-- code. Totals may have more digits than an amount.
CREATE TABLE invoices (
  id                  text PRIMARY KEY,
  status              text,
  payment_intent_id   text,
  currency            text,
  merchant_reference  text,
  amount              numeric(36,18) CHECK (amount <> 'NaN'),
  expires_at          timestamptz,
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX invoices_newest ON invoices (created_at DESC NULLS FIRST, id DESC);
CREATE INDEX invoices_by_reference ON invoices (merchant_reference) WHERE merchant_reference IS NOT NULL;
CREATE INDEX invoices_by_intent ON invoices (payment_intent_id) WHERE payment_intent_id IS NOT NULL;
CREATE INDEX invoices_by_status ON invoices (status, created_at DESC);
CREATE INDEX invoices_open ON invoices (created_at DESC, id DESC)
  WHERE absent_since IS NULL AND status NOT IN ('paid', 'expired', 'cancelled');

CREATE TABLE payouts (
  id                  text PRIMARY KEY,
  status              text,
  payout_type         text,
  asset_code          text,
  merchant_reference  text,
  payment_intent_id   text,
  txid                text,
  amount              numeric(36,18) CHECK (amount <> 'NaN'),
  created_at          timestamptz,
  updated_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payouts_newest ON payouts (created_at DESC NULLS FIRST, id DESC);
CREATE INDEX payouts_by_intent ON payouts (payment_intent_id) WHERE payment_intent_id IS NOT NULL;
CREATE INDEX payouts_by_reference ON payouts (merchant_reference) WHERE merchant_reference IS NOT NULL;
CREATE INDEX payouts_by_txid ON payouts (txid) WHERE txid IS NOT NULL;
CREATE INDEX payouts_by_status ON payouts (status, created_at DESC);
CREATE INDEX payouts_open ON payouts (created_at DESC, id DESC)
  WHERE absent_since IS NULL AND status NOT IN ('confirmed', 'failed');

CREATE TABLE accounts (
  id                  text PRIMARY KEY,
  status              text,
  label               text,
  external_ref        text,
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX accounts_newest ON accounts (created_at DESC NULLS FIRST, id DESC);
CREATE INDEX accounts_by_reference ON accounts (external_ref) WHERE external_ref IS NOT NULL;
CREATE INDEX accounts_by_status ON accounts (status, created_at DESC);

CREATE TABLE transactions (
  id                  text PRIMARY KEY,
  account_id          text,
  asset_code          text,
  type                text,
  amount              numeric(36,18) CHECK (amount <> 'NaN'),
  fee_amount          numeric(36,18) CHECK (fee_amount <> 'NaN'),
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX transactions_newest ON transactions (created_at DESC NULLS FIRST, id DESC);
CREATE INDEX transactions_by_account ON transactions (account_id, created_at DESC);
CREATE INDEX transactions_by_asset ON transactions (asset_code, created_at DESC);

CREATE TABLE balances (
  id                  text PRIMARY KEY,
  balance             numeric CHECK (balance <> 'NaN'),
  frozen              numeric CHECK (frozen <> 'NaN'),
  available           numeric CHECK (available <> 'NaN'),
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX balances_newest ON balances (created_at DESC NULLS FIRST, id DESC);

CREATE TABLE endpoints (
  id                  text PRIMARY KEY,
  url                 text,
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX endpoints_newest ON endpoints (created_at DESC NULLS FIRST, id DESC);

CREATE TABLE settlement_accounts (
  id                  text PRIMARY KEY,
  revoked_at          timestamptz,
  matured_at          timestamptz,
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX settlement_accounts_newest ON settlement_accounts (created_at DESC NULLS FIRST, id DESC);

CREATE TABLE products (
  id                  text PRIMARY KEY,
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX products_newest ON products (created_at DESC NULLS FIRST, id DESC);

CREATE TABLE assets (
  id                  text PRIMARY KEY,
  network             text,
  category            text,
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  poll_by             text,
  poll_ref            text,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  settled             boolean NOT NULL DEFAULT false,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX assets_newest ON assets (created_at DESC NULLS FIRST, id DESC);

-- The payout that gave a disputed payment back.
ALTER TABLE payment_intents ADD COLUMN irregular_refund_payout_id text;
UPDATE payment_intents SET irregular_refund_payout_id = left(shown::jsonb ->> 'irregularRefundPayoutId', 250)
WHERE shown LIKE '%"irregularRefundPayoutId":"%' AND pg_input_is_valid(shown, 'jsonb');
CREATE INDEX payment_intents_by_refund ON payment_intents (irregular_refund_payout_id)
  WHERE irregular_refund_payout_id IS NOT NULL;

-- Orders whose references differ in upper and lower case alone are pointed out to one another.
CREATE INDEX orders_by_folded_reference ON orders (lower(reference));
