-- The money of an hour, by asset and by what it may be used for, so that a day is not added up record by record. Nothing keeps it up to
-- date: whatever it is made of notes its hour in `money_marks`, in the same transaction, and who reads it adds up those hours anew.
CREATE TABLE money_sums (
  hour timestamptz NOT NULL,
  asset_code text NOT NULL,
  -- `released`, `waiting`, `other`; of what was paid out `payout:` and its type
  sort text NOT NULL,
  payments integer NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (hour, asset_code, sort)
);
-- Hours whose sums are those of the records, but for what is marked since.
CREATE TABLE money_known (hour timestamptz PRIMARY KEY);
CREATE TABLE money_marks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hour timestamptz NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Once in a transaction for each hour: a page of records is of few.
CREATE FUNCTION mark_money(made timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  hour timestamptz := date_trunc('hour', made, 'UTC');
  key text := ' ' || extract(epoch FROM hour)::bigint || ' ';
  noted text := coalesce(current_setting('tallyhook.money_hours', true), '');
BEGIN
  IF hour IS NULL OR position(key IN noted) > 0 THEN RETURN; END IF;
  INSERT INTO money_marks (hour) VALUES (hour);
  IF length(noted) < 2000 THEN PERFORM set_config('tallyhook.money_hours', noted || key, true); END IF;
END $$;

-- A plan of an empty table would be kept for a full one.
CREATE FUNCTION mark_money_of(VARIADIC payments text[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM mark_money(created_at) FROM payins WHERE payment_intent_id = ANY (payments);
END $$;

-- Of payins and payouts. New rows come many in a statement, which is noted once.
CREATE FUNCTION mark_new_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_money(created_at) FROM new_rows;
  RETURN NULL;
END $$;
CREATE FUNCTION mark_moved_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_money(OLD.created_at);
  IF TG_OP = 'UPDATE' THEN PERFORM mark_money(NEW.created_at); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payins_money AFTER INSERT ON payins REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_new_money();
CREATE TRIGGER payins_money_gone AFTER DELETE ON payins FOR EACH ROW EXECUTE FUNCTION mark_moved_money();
CREATE TRIGGER payins_money_changed AFTER UPDATE ON payins FOR EACH ROW
  WHEN ((OLD.created_at, OLD.asset_code, OLD.payment_intent_id, OLD.status, OLD.verified, OLD.doubted, OLD.absent_since, OLD.shown)
    IS DISTINCT FROM (NEW.created_at, NEW.asset_code, NEW.payment_intent_id, NEW.status, NEW.verified, NEW.doubted, NEW.absent_since, NEW.shown))
  EXECUTE FUNCTION mark_moved_money();
CREATE TRIGGER payouts_money AFTER INSERT ON payouts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_new_money();
CREATE TRIGGER payouts_money_gone AFTER DELETE ON payouts FOR EACH ROW EXECUTE FUNCTION mark_moved_money();
CREATE TRIGGER payouts_money_changed AFTER UPDATE ON payouts FOR EACH ROW
  WHEN ((OLD.created_at, OLD.asset_code, OLD.payout_type, OLD.amount, OLD.status, OLD.verified, OLD.doubted, OLD.absent_since)
    IS DISTINCT FROM (NEW.created_at, NEW.asset_code, NEW.payout_type, NEW.amount, NEW.status, NEW.verified, NEW.doubted, NEW.absent_since))
  EXECUTE FUNCTION mark_moved_money();

-- What may be done with the goods of a payment hangs on its order, and which that is on the payment and its invoice.
CREATE FUNCTION mark_new_orders_money() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM mark_money(payins.created_at)
  FROM new_rows
  CROSS JOIN LATERAL (SELECT payment_intent_id FROM payment_orders WHERE reference = new_rows.reference OFFSET 0) AS paid
  JOIN payins ON payins.payment_intent_id = paid.payment_intent_id;
  RETURN NULL;
END $$;
CREATE FUNCTION mark_ordered_money() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM mark_money(payins.created_at) FROM payment_orders JOIN payins USING (payment_intent_id) WHERE reference = OLD.reference;
  RETURN NULL;
END $$;
CREATE TRIGGER orders_money AFTER INSERT ON orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_new_orders_money();
CREATE TRIGGER orders_money_gone AFTER DELETE ON orders FOR EACH ROW EXECUTE FUNCTION mark_ordered_money();
CREATE TRIGGER orders_money_changed AFTER UPDATE ON orders FOR EACH ROW
  WHEN ((OLD.status, OLD.release_safe) IS DISTINCT FROM (NEW.status, NEW.release_safe)) EXECUTE FUNCTION mark_ordered_money();

CREATE FUNCTION mark_new_payments_money() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM mark_money(payins.created_at) FROM new_rows JOIN payins ON payment_intent_id = new_rows.id;
  RETURN NULL;
END $$;
CREATE FUNCTION mark_payment_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_money_of(OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER payment_intents_money AFTER INSERT ON payment_intents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION mark_new_payments_money();
CREATE TRIGGER payment_intents_money_gone AFTER DELETE ON payment_intents FOR EACH ROW EXECUTE FUNCTION mark_payment_money();
CREATE TRIGGER payment_intents_money_changed AFTER UPDATE ON payment_intents FOR EACH ROW
  WHEN ((OLD.merchant_reference, OLD.invoice_id, OLD.known) IS DISTINCT FROM (NEW.merchant_reference, NEW.invoice_id, NEW.known))
  EXECUTE FUNCTION mark_payment_money();

CREATE FUNCTION mark_invoiced_money() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  invoice text := CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END;
  before text := CASE WHEN TG_OP = 'INSERT' THEN NULL ELSE OLD.payment_intent_id END;
  named text := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE NEW.payment_intent_id END;
BEGIN
  PERFORM mark_money_of(VARIADIC ARRAY(SELECT id FROM payment_intents WHERE invoice_id = invoice) || before || named);
  RETURN NULL;
END $$;
CREATE TRIGGER invoices_money AFTER INSERT OR DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION mark_invoiced_money();
CREATE TRIGGER invoices_money_changed AFTER UPDATE ON invoices FOR EACH ROW
  WHEN ((OLD.merchant_reference, OLD.payment_intent_id, OLD.absent_since, OLD.own_call)
    IS DISTINCT FROM (NEW.merchant_reference, NEW.payment_intent_id, NEW.absent_since, NEW.own_call))
  EXECUTE FUNCTION mark_invoiced_money();
