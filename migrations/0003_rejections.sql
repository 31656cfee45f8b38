-- A bounded sample of what was refused, and a full count of it.
CREATE TABLE rejections (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reason      text NOT NULL,
  detail      text NOT NULL,
  diagnosis   text,
  body_size   integer NOT NULL,
  body_hash   text NOT NULL,
  first_bytes bytea NOT NULL,
  rejected_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX rejections_by_reason ON rejections (reason, id DESC);

CREATE TABLE rejection_counts (
  hour   timestamptz NOT NULL,
  reason text NOT NULL,
  count  bigint NOT NULL,
  PRIMARY KEY (hour, reason)
);
