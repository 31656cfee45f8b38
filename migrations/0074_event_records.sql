-- The orders, payments, payins, invoices and payouts that an event names. Of events from before: those that it changed.
CREATE TABLE event_records (
  entity_kind text NOT NULL,
  entity_id text NOT NULL,
  inbox_id bigint NOT NULL,
  PRIMARY KEY (entity_kind, entity_id, inbox_id)
);
CREATE INDEX event_records_by_event ON event_records (inbox_id);
INSERT INTO event_records
SELECT DISTINCT entity_kind, entity_id, inbox.id
FROM changes JOIN inbox ON inbox.id = CASE WHEN source_ref ~ '^\d{1,18}$' THEN source_ref::bigint END
WHERE source_type IN ('webhook', 'delivery_history')
  AND entity_kind IN ('order', 'payment_intent', 'payin', 'invoice', 'payout');
