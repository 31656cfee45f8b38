-- Columns of every record table:
--   poll, claims   JSON text (text, not jsonb: every string the service may send survives to the byte)
--   shown          the merged record (domain/merge.ts), JSON text
--   verified       the service's own list showed this state
--   absent_since   a complete read proved that the service does not list it
-- Text keys and references are stored through records/database-text.ts (NUL and lone surrogates escaped).
CREATE TABLE payment_intents (
  id                  text PRIMARY KEY,
  status              text,
  irregular_status    text,
  merchant_reference  text,
  invoice_id          text,
  product_id          text,
  currency_requested  text,
  amount_requested    numeric(36,18) CHECK (amount_requested <> 'NaN'),
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payment_intents_newest ON payment_intents (created_at DESC NULLS FIRST, id DESC);
CREATE INDEX payment_intents_by_reference ON payment_intents (merchant_reference);
CREATE INDEX payment_intents_by_invoice ON payment_intents (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX payment_intents_by_status ON payment_intents (status, created_at DESC);
CREATE INDEX payment_intents_open ON payment_intents (created_at DESC, id DESC)
  WHERE absent_since IS NULL
    AND (status NOT IN ('completed', 'expired', 'cancelled') OR irregular_status = 'pending_decision');

CREATE TABLE payins (
  id                  text PRIMARY KEY,
  payment_intent_id   text,
  status              text,
  kyt_status          text,
  asset_code          text,
  created_at          timestamptz,
  poll                text,
  poll_hash           text,
  poll_from           bigint,
  poll_to             bigint,
  claims              text NOT NULL DEFAULT '[]',
  shown               text NOT NULL,
  verified            boolean NOT NULL,
  verified_at         timestamptz,
  observed_at         timestamptz NOT NULL,
  observed_by_type    text NOT NULL,
  observed_by_ref     text NOT NULL,
  absent_since        timestamptz,
  first_seen_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payins_newest ON payins (created_at DESC NULLS FIRST, id DESC);
CREATE INDEX payins_by_intent ON payins (payment_intent_id);

-- Records that something asked to be read: an unverified claim, a mention, an open record.
CREATE TABLE reading_marks (
  kind        text NOT NULL,
  id          text NOT NULL,
  reason      text NOT NULL,
  marked_at   timestamptz NOT NULL DEFAULT now(),
  attempts    integer NOT NULL DEFAULT 0,
  next_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, id)
);
CREATE INDEX reading_marks_due ON reading_marks (kind, next_at);
