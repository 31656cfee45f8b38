-- The links between records as the domain reads them (src/domain/family/links.ts), for queries. Of a record by its id, of a
-- payment by its own, indexes answer.

-- The payments that each record names, that name it, or that a person said it gives back; a payment with itself. A deposit
-- stays with whatever payment listed it once.
CREATE VIEW family_links (kind, id, payment_intent_id) AS
SELECT 'payment_intent', id, id FROM payment_intents
UNION ALL SELECT 'payin', id, payment_intent_id FROM payins WHERE payment_intent_id <> ''
UNION ALL SELECT 'payin', payin_id, intent_id FROM payin_listings
UNION ALL SELECT 'invoice', id, payment_intent_id FROM invoices WHERE payment_intent_id <> ''
UNION ALL SELECT 'invoice', invoice_id, id FROM payment_intents WHERE invoice_id <> ''
UNION ALL SELECT 'payout', id, payment_intent_id FROM payouts WHERE payment_intent_id <> ''
UNION ALL SELECT 'payout', irregular_refund_payout_id, id FROM payment_intents WHERE irregular_refund_payout_id <> ''
UNION ALL SELECT 'payout', payout_id, payment_intent_id FROM (
  SELECT DISTINCT ON (payout_id) payout_id, payment_intent_id FROM refund_assignments ORDER BY payout_id, id DESC) AS last
WHERE payment_intent_id IS NOT NULL;

-- The orders that could have a payment: its own reference's alone; else those of the invoices that it is linked with.
CREATE VIEW payment_orders (payment_intent_id, reference) AS
SELECT id, merchant_reference FROM payment_intents WHERE merchant_reference <> ''
UNION ALL
SELECT intent.id, invoice.merchant_reference
FROM payment_intents AS intent JOIN invoices AS invoice ON invoice.id = intent.invoice_id
WHERE intent.known AND coalesce(intent.merchant_reference, '') = '' AND invoice.merchant_reference <> ''
  AND (invoice.absent_since IS NULL OR invoice.own_call IS NOT NULL)
UNION ALL
SELECT intent.id, invoice.merchant_reference
FROM payment_intents AS intent JOIN invoices AS invoice ON invoice.payment_intent_id = intent.id
WHERE intent.known AND coalesce(intent.merchant_reference, '') = '' AND invoice.merchant_reference <> ''
  AND (invoice.absent_since IS NULL OR invoice.own_call IS NOT NULL);
