-- What a run of deliveries costs follows the new ones, not the history.
--   mentions   records that a delivery without a readable payload names, as `kind id`
--   judge_at   when one that is open is to be judged again; epoch: on each run
ALTER TABLE deliveries ADD COLUMN mentions text[] NOT NULL DEFAULT '{}';
ALTER TABLE deliveries ADD COLUMN judge_at timestamptz;

-- unrecoverable: too long ago, without a payload, and what it may have named was read from the service since.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_class_check;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_class_check
  CHECK (class IN ('received', 'received_sibling', 'pending_retry', 'rejected', 'never_reached', 'phantom', 'other_endpoint', 'too_old', 'unrecoverable'));

DROP INDEX deliveries_open;
CREATE INDEX deliveries_to_judge ON deliveries (judge_at) WHERE open;
CREATE INDEX deliveries_to_make_good ON deliveries (inbox_id) WHERE open AND inbox_id IS NOT NULL;
CREATE INDEX deliveries_missed ON deliveries (class) WHERE missed;
CREATE INDEX deliveries_to_retry ON deliveries (next_retry_at) WHERE ours AND next_retry_at IS NOT NULL;
-- A word that no index can hold is cut, as new ones are when they are read; by writing the table anew, because an index
-- also takes in what an UPDATE left behind.
DO $$
BEGIN
  IF EXISTS (SELECT FROM deliveries WHERE length(status) > 100) THEN
    ALTER TABLE deliveries ALTER COLUMN status TYPE text USING left(status, 100);
  END IF;
END $$;
CREATE INDEX deliveries_by_status ON deliveries (status, created_at) WHERE ours;

-- Who did what, and why. A row that records an effect is written in its transaction.
--   target   what it was done to, such as an event's id; null: to no one thing
--   outcome  done; asked: handed to a process that does it; refused
CREATE TABLE actions (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now(),
  actor    text NOT NULL,
  action   text NOT NULL,
  target   text,
  reason   text,
  details  jsonb NOT NULL DEFAULT '{}',
  outcome  text NOT NULL CHECK (outcome IN ('done', 'asked', 'refused'))
);
CREATE INDEX actions_by_actor ON actions (actor, id DESC);
CREATE INDEX actions_by_action ON actions (action, id DESC);
