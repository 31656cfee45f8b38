-- Payins beyond the first twenty that one payment lists wait behind everybody else's: who sends dust to one address holds up that
-- payment's order alone.
ALTER TABLE reading_marks
  DROP CONSTRAINT reading_marks_lane_check,
  ADD CONSTRAINT reading_marks_lane_check CHECK (lane IN ('listed', 'poll', 'crowded', 'hold', 'report', 'recheck'));
