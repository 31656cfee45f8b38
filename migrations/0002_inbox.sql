-- Every authentic event, once per key. The row is the outbox of the queue: Redis may be flushed at any moment.
CREATE TABLE inbox (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key             text NOT NULL UNIQUE,
  key_type        text NOT NULL CHECK (key_type IN ('id', 'fingerprint')),
  event_id        text,
  content_hash    text NOT NULL,
  event_type      text NOT NULL,
  event_timestamp double precision NOT NULL,
  status          text NOT NULL DEFAULT 'received' CHECK (status IN ('received', 'applied', 'failed', 'unhandled', 'dead')),
  source          text NOT NULL CHECK (source IN ('webhook', 'delivery_history')),
  secret_label    text,
  arrivals        integer NOT NULL DEFAULT 1,
  received_at     timestamptz NOT NULL DEFAULT now(),
  last_arrival_at timestamptz NOT NULL DEFAULT now(),
  body            bytea NOT NULL,
  -- for reading in the console; null where jsonb can't hold the document (\u0000, lone surrogates)
  document        jsonb,
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  applied_at      timestamptz,
  error           text
);
CREATE INDEX inbox_open ON inbox (next_attempt_at) WHERE status IN ('received', 'failed');
CREATE INDEX inbox_by_status ON inbox (status, id DESC);
CREATE INDEX inbox_by_type ON inbox (event_type, id DESC);
CREATE INDEX inbox_by_content ON inbox (content_hash);

-- Which secret each event came under, and how often: the evidence for a rotation.
CREATE TABLE inbox_arrivals (
  inbox_id     bigint NOT NULL REFERENCES inbox ON DELETE CASCADE,
  secret_label text NOT NULL,
  arrivals     integer NOT NULL,
  first_at     timestamptz NOT NULL,
  last_at      timestamptz NOT NULL,
  PRIMARY KEY (inbox_id, secret_label)
);
