-- How far the history of changes was read for orders to send to the store. Whoever changes `callbacks` locks the row.
CREATE TABLE callback_progress (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  seq      bigint NOT NULL
);
-- A database that was at work before sends nothing that happened until now.
INSERT INTO callback_progress (seq) SELECT coalesce(max(seq), 0) FROM changes;

-- What the store is to be sent: one state of an order. Of an order one is on its way at a time, and never an older one
-- after a newer one.
--   seq         the newest change of the order that it shows
--   webhook_id  by chance, since places in a history can come again after a restore
--   data        the order as JSON, as it was then: every attempt sends the same
--   claim       of the attempt under way, which nobody else makes until `claimed_until`
CREATE TABLE callbacks (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reference       text NOT NULL,
  seq             bigint NOT NULL,
  webhook_id      text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  data            text NOT NULL,
  status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'dead', 'superseded')),
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claim           uuid,
  claimed_until   timestamptz,
  http_status     integer,
  error           text,
  changed_at      timestamptz NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  sent_at         timestamptz,
  UNIQUE (reference, seq)
);
CREATE INDEX callbacks_due ON callbacks (next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX callbacks_by_reference ON callbacks (reference, id DESC);
CREATE INDEX callbacks_by_status ON callbacks (status, id DESC);

-- Conditions that hold or held; one open row for each.
--   since     when it was first seen to hold; fired_at: when it had held for long enough to be sent
CREATE TABLE alerts (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text NOT NULL,
  subject     text NOT NULL DEFAULT '',
  severity    text NOT NULL CHECK (severity IN ('critical', 'warning')),
  summary     text NOT NULL,
  detail      text NOT NULL,
  since       timestamptz NOT NULL,
  seen_at     timestamptz NOT NULL,
  fired_at    timestamptz,
  resolved_at timestamptz
);
CREATE UNIQUE INDEX alerts_one_open ON alerts (name, subject) WHERE resolved_at IS NULL;

-- The state of each channel.
CREATE TABLE alert_channels (
  channel         text PRIMARY KEY,
  failing_since   timestamptz,
  failures        integer NOT NULL DEFAULT 0,
  error           text,
  last_ok_at      timestamptz,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claim           uuid,
  claimed_until   timestamptz
);

-- What a channel is to send, each thing once (`key`).
CREATE TABLE alert_notices (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel    text NOT NULL REFERENCES alert_channels,
  key        text NOT NULL,
  message    jsonb NOT NULL,
  webhook_id text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  status     text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'expired')),
  created_at timestamptz NOT NULL DEFAULT now(),
  sent_at    timestamptz,
  UNIQUE (channel, key)
);
CREATE INDEX alert_notices_waiting ON alert_notices (channel, id) WHERE status = 'pending';
