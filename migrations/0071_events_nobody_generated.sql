-- Deliveries that name no payment: one of them may be of any.
CREATE INDEX deliveries_unnamed ON deliveries (event_type, created_at DESC NULLS FIRST) WHERE payment_intent_id IS NULL;
