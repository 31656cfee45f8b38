-- Evidence per signing secret; never the secret itself.
CREATE TABLE secrets (
  label          text PRIMARY KEY,
  fingerprint    text NOT NULL,
  first_match_at timestamptz,
  last_match_at  timestamptz,
  endpoint_id    text,
  retired_at     timestamptz,
  retired_note   text
);

CREATE TABLE secret_matches (
  label text NOT NULL,
  hour  timestamptz NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (label, hour)
);
