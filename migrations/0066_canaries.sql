-- Test events that we send ourselves through WEBHOOK_PUBLIC_URL: how each fared on its way. Some days of them are kept.
CREATE TABLE canaries (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- SHA-256 of the one-time word in its body: by it the receiver knows its own again, once.
  nonce_hash    bytea NOT NULL UNIQUE,
  -- SHA-256 of the whole body: another body with the word in it is no canary.
  body_hash     bytea NOT NULL,
  every_seconds integer NOT NULL,
  sent_at       timestamptz NOT NULL DEFAULT now(),
  claimed_at    timestamptz,
  -- Null: it is on its way, or its process ended.
  finished_at   timestamptz,
  -- Each since it was sent.
  answered_ms   integer,
  stored_ms     integer,
  applied_ms    integer,
  -- Null: it came back whole.
  error         text
);
CREATE INDEX canaries_sent ON canaries (sent_at);
