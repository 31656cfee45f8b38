-- at_opening: what the balance was judged to be more by, because of payouts that were under way when its books were opened:
-- whose a payout was does not change, so from then on nothing else is put down to those. Null: not told yet.
ALTER TABLE balance_proofs ADD COLUMN at_opening json;
