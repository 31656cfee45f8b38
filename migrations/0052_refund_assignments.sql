-- The payments that the records named for a payout when a person said whose refund it is: what names another one later says otherwise.
ALTER TABLE refund_assignments ADD COLUMN named text[] NOT NULL DEFAULT '{}';
