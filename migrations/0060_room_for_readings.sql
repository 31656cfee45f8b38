-- A poll that shows the same again moves the times of a row and nothing that an index holds. Where its page has room for the new
-- version, no index is written. Pages that are full already get it as their rows move on.
ALTER TABLE payment_intents SET (fillfactor = 60);
ALTER TABLE payins SET (fillfactor = 60);
ALTER TABLE invoices SET (fillfactor = 60);
ALTER TABLE payouts SET (fillfactor = 60);
ALTER TABLE accounts SET (fillfactor = 60);
ALTER TABLE transactions SET (fillfactor = 60);
