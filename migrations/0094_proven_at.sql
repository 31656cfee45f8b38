-- When polls, records and what finance said last came to the same, whatever has kept it from being compared since. It ends a month that was over by then.
ALTER TABLE balance_proofs ADD COLUMN proven_at timestamptz;
UPDATE balance_proofs SET proven_at = agreed_at WHERE unproven IS NULL AND unexplained = 0;
