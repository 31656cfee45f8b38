-- at_opening: what the balance was judged to be more by, because of payouts that were under way when its books were opened:
-- whose a payout was does not change, so from then on nothing else is put down to those. Null: not known yet.
ALTER TABLE balance_proofs ADD COLUMN at_opening json;

-- token: the service's own cursor of a page near the newer end of what is unread, where it pages by such. Used to go on there,
-- and only where its page shows rows that were read before. Null: none is known, or the service goes by the ids of rows.
ALTER TABLE unread_intervals ADD COLUMN token text;
