CREATE TABLE runs (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind          text NOT NULL,
  "full"        boolean NOT NULL,
  status        text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'succeeded', 'failed', 'aborted')),
  calls         integer NOT NULL DEFAULT 0,
  seen          bigint NOT NULL DEFAULT 0,
  changed       bigint NOT NULL DEFAULT 0,
  breaks_opened integer NOT NULL DEFAULT 0,
  complete      boolean NOT NULL DEFAULT false,
  proof         jsonb NOT NULL DEFAULT '{}',
  started_at    timestamptz NOT NULL DEFAULT now(),
  heartbeat_at  timestamptz NOT NULL DEFAULT now(),
  finished_at   timestamptz,
  error         text
);
CREATE INDEX runs_by_kind ON runs (kind, id DESC);

-- How far each list is proven to have been read; moved only by the end of a complete run.
CREATE TABLE watermarks (
  kind       text NOT NULL,
  name       text NOT NULL,
  value      jsonb NOT NULL,
  run_id     bigint NOT NULL REFERENCES runs,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, name)
);

-- Stretches of a list (newest first) that are known to be unread: above `older_id`, below `newer_id`.
-- newer_id null: from the head. older_id null: to the end of the list.
CREATE TABLE unread_intervals (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL,
  list       text NOT NULL,
  newer_id   text,
  older_id   text,
  run_id     bigint REFERENCES runs,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- One outgoing rate for all processes: each call takes the next free slot.
CREATE TABLE service_rate (
  name    text PRIMARY KEY,
  next_at timestamptz NOT NULL
);
