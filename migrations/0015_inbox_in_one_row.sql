-- An event that arrives once costs one row. The readable document was a second copy of every body, written with the row
-- and again with its first update; now it is made when somebody reads it (Postgres 16 or newer). The first arrival stands in
-- the row itself, and only repeats get rows of their own.
ALTER TABLE inbox DROP COLUMN document;

ALTER TABLE inbox_arrivals RENAME TO inbox_repeats;
UPDATE inbox_repeats AS r SET arrivals = r.arrivals - 1
FROM inbox WHERE inbox.id = r.inbox_id AND inbox.secret_label = r.secret_label;
DELETE FROM inbox_repeats WHERE arrivals = 0;

CREATE VIEW inbox_documents AS
SELECT id, CASE WHEN pg_input_is_valid(convert_from(body, 'UTF8'), 'jsonb') THEN convert_from(body, 'UTF8')::jsonb END AS document
FROM inbox;

-- Which secret each event came under, and how often: the evidence for a rotation.
CREATE VIEW inbox_arrivals AS
SELECT inbox_id, secret_label, sum(arrivals)::integer AS arrivals, min(first_at) AS first_at, max(last_at) AS last_at
FROM (
  SELECT id AS inbox_id, secret_label, 1 AS arrivals, received_at AS first_at, received_at AS last_at
  FROM inbox WHERE secret_label IS NOT NULL
  UNION ALL
  SELECT inbox_id, secret_label, arrivals, first_at, last_at FROM inbox_repeats
) AS every_arrival
GROUP BY inbox_id, secret_label;

-- Nearly every row is applied: for those the order of the ids is enough.
DROP INDEX inbox_by_status;
CREATE INDEX inbox_by_status ON inbox (status, id DESC) WHERE status <> 'applied';
