-- held: a part that is left over while payouts are under way that could be it, and which they were: once all of those have
-- ended it is judged. Null: nothing is.
ALTER TABLE balance_proofs ADD COLUMN held json;
