-- Who is at an alert; and until when nothing more of it is sent: a week at most, and while it is no graver than it was then.
ALTER TABLE alerts
  ADD COLUMN acknowledged_at timestamptz,
  ADD COLUMN acknowledged_by text,
  ADD COLUMN silenced_at timestamptz,
  ADD COLUMN silenced_until timestamptz,
  ADD COLUMN silenced_by text,
  ADD COLUMN silenced_severity text,
  ADD CONSTRAINT alerts_silence_ends CHECK (silenced_until <= silenced_at + interval '7 days');
-- What something that is run now and then found last, whoever ran it: one row for each.
CREATE TABLE newest_results (
  name   text PRIMARY KEY,
  at     timestamptz NOT NULL,
  actor  text NOT NULL,
  result jsonb NOT NULL
);
