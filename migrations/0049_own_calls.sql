-- Which payment, reference or sub-wallet a creating call was for: kept for good, while `request` goes.
--   taken_in_at  since then the records know what the call made, and by which call
--   withholds    a refund of which the records don't know yet what came of it
--   derived      of a refund: its orders were derived since its state was last another
ALTER TABLE service_writes
  ADD COLUMN payment_intent_id  text,
  ADD COLUMN merchant_reference text,
  ADD COLUMN account_id         text,
  ADD COLUMN taken_in_at        timestamptz,
  ADD COLUMN derived            boolean NOT NULL DEFAULT false,
  ADD COLUMN withholds          boolean NOT NULL GENERATED ALWAYS AS
    (operation = 'createRefund' AND (status IN ('open', 'lost') OR (status = 'done' AND taken_in_at IS NULL))) STORED;

-- What a library of the version before writes down has the links in `request` alone, and drops it when the call ends.
CREATE FUNCTION link_service_write(call service_writes) RETURNS service_writes LANGUAGE plpgsql AS $$
DECLARE
  asked jsonb;
  body  jsonb;
BEGIN
  asked := call.request::jsonb;
  body := (asked ->> 'body')::jsonb;
  -- What is longer is no record's id, and no index holds it.
  call.payment_intent_id := CASE WHEN call.operation = 'createRefund' AND octet_length(body ->> 'paymentIntentId') <= 1000
    THEN body ->> 'paymentIntentId' END;
  call.merchant_reference := body ->> 'merchantReference';
  call.account_id := CASE WHEN call.operation = 'createPayout' THEN asked -> 'path' ->> 'id' END;
  RETURN call;
EXCEPTION WHEN data_exception THEN
  -- A text that Postgres can't hold: this version writes it down itself, escaped.
  RETURN call;
END $$;
CREATE FUNCTION service_write_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.status, NEW.taken_in_at) IS DISTINCT FROM (OLD.status, OLD.taken_in_at) THEN NEW.derived := false; END IF;
    IF NEW.hash = OLD.hash THEN RETURN NEW; END IF;
  END IF;
  IF NEW.request IS NULL THEN RETURN NEW; END IF;
  RETURN link_service_write(NEW);
END $$;

UPDATE service_writes AS call SET
  payment_intent_id = linked.payment_intent_id,
  merchant_reference = linked.merchant_reference,
  account_id = linked.account_id
FROM service_writes AS kept, link_service_write(kept) AS linked
WHERE kept.request IS NOT NULL AND call.operation = kept.operation AND call.key = kept.key;
-- A refund that has ended has no request any more. Its key is made of its payment, and its hash proves it where nothing but the
-- payment was asked for.
UPDATE service_writes SET payment_intent_id = substr(key, 8)
WHERE operation = 'createRefund' AND request IS NULL AND key ~ '^refund-[A-Za-z0-9_-]+$'
  AND hash = encode(sha256(convert_to(
    '{"body":{"paymentIntentId":"' || substr(key, 8) || '"},"operation":"createRefund","path":{}}', 'UTF8')), 'hex');
-- What the records know already need not be taken in again; but a refund is, where its payment is known: who reported to the records
-- the payment can't be seen here.
UPDATE service_writes SET taken_in_at = coalesce(ended_at, now())
WHERE object_id IS NOT NULL AND CASE operation
  WHEN 'createDirectPayment' THEN EXISTS (SELECT FROM payment_intents WHERE id = object_id)
  WHEN 'createInvoice' THEN EXISTS (SELECT FROM invoices WHERE id = object_id)
  WHEN 'createPayout' THEN EXISTS (SELECT FROM payouts WHERE id = object_id)
  WHEN 'createRefund' THEN payment_intent_id IS NULL AND EXISTS (SELECT FROM payouts WHERE id = object_id)
  ELSE false END;

-- Orders of refunds that have ended are derived when these are taken in, and not held until then.
UPDATE service_writes SET derived = true WHERE status NOT IN ('open', 'lost');
CREATE TRIGGER service_writes_changed BEFORE INSERT OR UPDATE ON service_writes
  FOR EACH ROW EXECUTE FUNCTION service_write_changed();

CREATE INDEX service_writes_refunds ON service_writes (payment_intent_id) WHERE operation = 'createRefund';
CREATE INDEX service_writes_to_derive ON service_writes (begun_at) WHERE operation = 'createRefund' AND NOT derived;
CREATE INDEX service_writes_to_take_in ON service_writes (begun_at)
  WHERE taken_in_at IS NULL AND object_id IS NOT NULL AND operation <> 'createTransfer';
