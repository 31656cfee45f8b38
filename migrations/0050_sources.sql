-- What a record shows is what polls, own calls and the delivery history say. What only reports say stands apart, and decides
-- nothing. Records that were saved before are shown anew by the scheduler, a slice at a time.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payment_intents', 'payins', 'invoices', 'payouts', 'accounts', 'transactions', 'balances',
    'endpoints', 'settlement_accounts', 'products', 'assets'] LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN reported text, ADD COLUMN known boolean NOT NULL DEFAULT true,
      ADD COLUMN doubted boolean NOT NULL DEFAULT false, ADD COLUMN own_call text', name);
  END LOOP;
END $$;

-- Of a payment that reports alone speak of: the order that they name, and whether they say that it is paid.
ALTER TABLE payment_intents ADD COLUMN reported_reference text, ADD COLUMN reported_paid boolean NOT NULL DEFAULT false;
CREATE INDEX payment_intents_by_reported ON payment_intents (reported_reference)
  WHERE reported_paid AND NOT known AND absent_since IS NULL;

-- The payments and orders that reports alone say a payout gives money back of; said_by: the newest report that says so (a row of
-- the inbox), said_to: its time (milliseconds of the service's clock).
CREATE TABLE reported_refunds (
  payout_id text NOT NULL,
  said_of   text NOT NULL CHECK (said_of IN ('payment', 'order')),
  name      text NOT NULL,
  said_to   bigint NOT NULL,
  said_by   text NOT NULL,
  PRIMARY KEY (payout_id, said_of, name)
);
CREATE INDEX reported_refunds_by_name ON reported_refunds (name, said_of);
CREATE INDEX reported_refunds_by_report ON reported_refunds (said_by);
-- When the delivery history was last asked for a payout (milliseconds of the service's clock).
ALTER TABLE payouts ADD COLUMN searched_at bigint;

-- Whose refund a person said a payout is; without a payment: nobody's. The newest row counts.
CREATE TABLE refund_assignments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payout_id text NOT NULL,
  payment_intent_id text,
  note text NOT NULL,
  actor text NOT NULL,
  assigned_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX refund_assignments_newest ON refund_assignments (payout_id, id DESC);
CREATE INDEX refund_assignments_by_intent ON refund_assignments (payment_intent_id) WHERE payment_intent_id IS NOT NULL;

-- When reports last held an order that turned out to be safe: two such within an hour, and reports hold it no more for an hour.
ALTER TABLE orders ADD COLUMN held_by_reports boolean NOT NULL DEFAULT false,
  ADD COLUMN refuted_at timestamptz[] NOT NULL DEFAULT '{}';

-- Payments that only reports call paid, for the count of a day.
CREATE INDEX payment_intents_reported_paid ON payment_intents (created_at) WHERE reported_paid;

-- The account has shown results of its screening: a deposit without one waits for it.
INSERT INTO watermarks (kind, name, value)
SELECT 'account', 'kyt', '{}' WHERE EXISTS (SELECT FROM payins WHERE verified AND kyt_status IS NOT NULL)
ON CONFLICT DO NOTHING;
