-- `poll` is null beside a `poll_hash` where the newest reading is exactly what is shown: it is not kept twice.
-- What identifies the reading stands in columns, which move on alone when the same content is read again.
ALTER TABLE payment_intents ADD COLUMN poll_by text, ADD COLUMN poll_ref text;
ALTER TABLE payins ADD COLUMN poll_by text, ADD COLUMN poll_ref text;
-- Shown as the service's own list showed it, and no event said anything newer: a reading of the same content
-- changes nothing but its time.
ALTER TABLE payment_intents ADD COLUMN settled boolean NOT NULL DEFAULT false;
ALTER TABLE payins ADD COLUMN settled boolean NOT NULL DEFAULT false;
-- The moment of the service's clock that a mark refers to: a reading that began earlier does not settle it.
ALTER TABLE reading_marks ADD COLUMN asked_at bigint NOT NULL DEFAULT 0;
