-- Who asked for a record to be read, so that what webhooks ask for never crowds out the rest: `listed` (a deposit that a payment
-- lists, as the service shows it), `poll` (what a reading needs), `report` (what a webhook asks for; `secret` is the label of the
-- secret that signed it), `recheck` (a deposit that has passed, read again until a day after: `final_since`).
ALTER TABLE reading_marks
  ADD COLUMN lane text NOT NULL DEFAULT 'poll' CHECK (lane IN ('listed', 'poll', 'hold', 'report', 'recheck')),
  ADD COLUMN secret text NOT NULL DEFAULT '',
  ADD COLUMN final_since timestamptz;
CREATE INDEX reading_marks_by_lane ON reading_marks (kind, lane, secret, next_at, id);
-- Its work is done by the one above.
DROP INDEX reading_marks_due;
