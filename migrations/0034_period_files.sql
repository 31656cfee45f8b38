-- What was exported when a month was closed: the bytes that it has from then on, whatever the version or the chart.
--   closings  how often the month was closed; the files of the newest closing count
ALTER TABLE periods ADD COLUMN closings integer NOT NULL DEFAULT 0;
ALTER TABLE periods ADD COLUMN reopened_at timestamptz;
ALTER TABLE periods ADD COLUMN reopened_by text;

CREATE TABLE period_files (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  month     text NOT NULL REFERENCES periods,
  closing   integer NOT NULL,
  format    text NOT NULL,
  name      text NOT NULL,
  sha256    text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  bytes     bigint NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (month, closing, name)
);

-- A file in order, in parts that fit into memory. They are written before the hash of the whole is known.
CREATE TABLE period_file_parts (
  file_id bigint NOT NULL REFERENCES period_files DEFERRABLE INITIALLY DEFERRED,
  part    integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (file_id, part)
);

CREATE TRIGGER period_files_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON period_files
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER period_file_parts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON period_file_parts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
