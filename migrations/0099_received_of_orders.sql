-- What came in for an order's payments, in their asset. Orders from before are derived anew by the scheduler.
ALTER TABLE orders ADD COLUMN received_amount numeric, ADD COLUMN received_asset text;
CREATE INDEX orders_by_received ON orders (received_asset, received_amount) WHERE received_asset IS NOT NULL;
