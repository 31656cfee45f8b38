-- Payments are listed by the asset that the customer chose. Rows from before are filled by the scheduler, found by the second index.
ALTER TABLE payment_intents ADD COLUMN asset_code text;
CREATE INDEX payment_intents_by_asset ON payment_intents (asset_code, created_at DESC, id DESC) WHERE asset_code IS NOT NULL;
CREATE INDEX payment_intents_without_asset ON payment_intents (id) WHERE asset_code IS NULL AND shown LIKE '%"assetCode":"%';
