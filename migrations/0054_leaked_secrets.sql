-- When a person said that a secret had leaked: what the delivery history lacks of what came under it was not sent.
ALTER TABLE secrets ADD COLUMN leaked_at timestamptz;

-- Each report that links a payout stands by itself: that one of them was not sent says nothing of another.
ALTER TABLE reported_refunds DROP CONSTRAINT reported_refunds_pkey,
  ADD PRIMARY KEY (payout_id, said_of, name, said_by);
-- With what the delivery history found of each; not_sent: the service did not send it.
CREATE VIEW said_refunds AS
SELECT payout_id, said_of, name, said_to, said_by, EXISTS (
  SELECT FROM report_checks WHERE state = 'not_sent'
    AND inbox_id = CASE WHEN said_by ~ '^[0-9]{1,18}$' THEN said_by::bigint END) AS not_sent
FROM reported_refunds;

-- A payout known only from reports moves no balance.
DELETE FROM movements USING payouts
WHERE record_kind = 'payout' AND record_id = payouts.id AND part = 'unclear' AND base IS NULL AND NOT known
  AND claims NOT LIKE '%,"api_response",%' AND claims NOT LIKE '%,"delivery_history",%';
