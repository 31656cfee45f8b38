-- As in 0054, but each is looked up by its key: for a few rows all that was not sent would be read.
CREATE OR REPLACE VIEW said_refunds AS
SELECT payout_id, said_of, name, said_to, said_by, EXISTS (
  SELECT FROM report_checks WHERE state = 'not_sent'
    AND inbox_id = CASE WHEN said_by ~ '^[0-9]{1,18}$' THEN said_by::bigint END OFFSET 0) AS not_sent
FROM reported_refunds;
