-- What is missing of an order that is underpaid, or too much of one that is overpaid, in the currency that was asked for; null: it is
-- neither, or that is not known.
ALTER TABLE orders ADD COLUMN difference_amount numeric, ADD COLUMN difference_currency text;
-- Orders that changed since a time. That release_proven_at moved is no change, and is not written to updated_at.
CREATE INDEX orders_by_update ON orders (updated_at);
-- Orders that may be released, or may not, in any state.
CREATE INDEX orders_by_release ON orders (release_safe, status, created_at DESC, reference DESC);
-- The payment that the payload names, by which deliveries are asked for; null: none is named, or it was read before there was this column.
ALTER TABLE deliveries ADD COLUMN payment_intent_id text;
CREATE INDEX deliveries_by_payment ON deliveries (payment_intent_id, created_at DESC, id DESC) WHERE payment_intent_id IS NOT NULL;
-- The hash of the transaction on the chain. Rows of earlier versions get it by and by (src/records/family/payins.ts).
ALTER TABLE payins ADD COLUMN txid text;
CREATE INDEX payins_by_txid ON payins (txid) WHERE txid IS NOT NULL;
CREATE INDEX payins_without_txid ON payins (id) WHERE txid IS NULL AND shown LIKE '%"txid":"%';
