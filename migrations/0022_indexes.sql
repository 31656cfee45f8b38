-- What is asked on every run is found without reading a wide table whole.
CREATE INDEX payment_intents_by_product ON payment_intents (product_id, status) INCLUDE (absent_since)
  WHERE product_id IS NOT NULL;

-- The predicate is the text of src/records/runs/open-payouts.ts.
CREATE INDEX payouts_in_hand ON payouts (id)
  WHERE absent_since IS NULL AND (status IS NULL OR status NOT IN ('confirmed', 'failed'));

CREATE INDEX payins_by_asset ON payins (asset_code);
CREATE INDEX payouts_by_asset ON payouts (asset_code);
