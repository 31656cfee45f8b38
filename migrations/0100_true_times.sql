-- When the first and the last request of the minute was rejected; null: written by a program that did not say.
ALTER TABLE rejection_counts ADD COLUMN first_at timestamptz, ADD COLUMN last_at timestamptz;
-- When a check found it first. Since when it holds, as that check knew it, is in "since".
ALTER TABLE alerts ADD COLUMN found_at timestamptz NOT NULL DEFAULT now();
