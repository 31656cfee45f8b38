-- All that gets a trigger below, at once and in one order: a migration that waited for one while it holds another would stop whoever
-- writes, and meet who closes a month. Where it does not get them in time it fails, and can be tried again.
SET LOCAL lock_timeout = '5s';
LOCK TABLE period_files, entries, entry_rates, given_rates, break_steps, balance_attributions, actions, changes
  IN SHARE ROW EXCLUSIVE MODE;

-- What was written is sealed in batches (docs/audit.md). A seal holds the hash of each of its rows and the hash of the seal
-- before it, so that nobody can change, delete, add or move one unnoticed.
--   number      counts from 1 without a gap, over all logs
--   after       the rows above this place, up to `until`, are sealed
--   row_hashes  for each row, in their order, its place (8 bytes, big-endian) and the SHA-256 of its line (32 bytes)
--   previous    the hash of the seal before it; of the first 64 zeros
CREATE TABLE seals (
  number     bigint PRIMARY KEY CHECK (number > 0),
  log        text NOT NULL,
  after      bigint NOT NULL CHECK (after >= 0),
  until      bigint NOT NULL CHECK (until > after),
  rows       integer NOT NULL CHECK (rows > 0),
  row_hashes bytea STORAGE EXTERNAL NOT NULL,
  rows_hash  text NOT NULL,
  previous   text NOT NULL,
  sealed_at  timestamptz(3) NOT NULL,
  hash       text NOT NULL
);
CREATE INDEX seals_by_log ON seals (log, number DESC);

-- The newest seal, for whoever would take away the last ones. Who seals locks the row.
CREATE TABLE seal_head (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  number   bigint NOT NULL,
  hash     text NOT NULL
);
INSERT INTO seal_head (number, hash) VALUES (0, repeat('0', 64));

-- Each time that the seals were verified. head: the newest seal that was checked.
CREATE TABLE seal_checks (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  started_at    timestamptz NOT NULL,
  finished_at   timestamptz NOT NULL,
  actor         text NOT NULL,
  first_seal    bigint NOT NULL,
  last_seal     bigint NOT NULL,
  head_hash     text NOT NULL,
  rows          bigint NOT NULL,
  findings      integer NOT NULL,
  first_finding text,
  is_whole      boolean NOT NULL
);

CREATE TRIGGER seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER seal_checks_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seal_checks
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What is sealed is append-only.
CREATE TRIGGER changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER actions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON actions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER break_steps_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON break_steps
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
DROP TRIGGER balance_attributions_append_only ON balance_attributions;
CREATE TRIGGER balance_attributions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON balance_attributions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- As `announce_changes`, for the other logs: the key, then the numbers' sequence.
CREATE FUNCTION announce_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared((TG_ARGV[0]::bigint << 48) | coalesce(pg_sequence_last_value(TG_ARGV[1]::regclass), 0));
  RETURN NULL;
END $$;
CREATE TRIGGER entries_announced BEFORE INSERT ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29769', 'entries_id_seq');
CREATE TRIGGER entry_rates_announced BEFORE INSERT ON entry_rates
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29770', 'entry_rates_id_seq');
CREATE TRIGGER given_rates_announced BEFORE INSERT ON given_rates
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29771', 'given_rates_id_seq');
CREATE TRIGGER balance_attributions_announced BEFORE INSERT ON balance_attributions
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29772', 'balance_attributions_id_seq');
CREATE TRIGGER break_steps_announced BEFORE INSERT ON break_steps
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29773', 'break_steps_id_seq');
CREATE TRIGGER period_files_announced BEFORE INSERT ON period_files
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29774', 'period_files_id_seq');
CREATE TRIGGER actions_announced BEFORE INSERT ON actions
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29775', 'actions_id_seq');

-- As `changes_settled_up_to`.
CREATE FUNCTION rows_settled_up_to(key integer, sequence regclass) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  issued bigint := coalesce(pg_sequence_last_value(sequence), 0);
  announced bigint;
BEGIN
  SELECT min(((classid::bigint << 32) | objid::bigint) & ((1::bigint << 48) - 1)) INTO announced
  FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = key
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
  RETURN least(issued, coalesce(announced, issued));
END $$;
