-- Which payment intents sum up which deposits, whatever the deposit itself says: saving the deposit derives their
-- orders again. A row is never deleted: it costs at most one derivation that changes nothing.
CREATE TABLE payin_listings (
  payin_id  text NOT NULL,
  intent_id text NOT NULL,
  PRIMARY KEY (payin_id, intent_id)
);
