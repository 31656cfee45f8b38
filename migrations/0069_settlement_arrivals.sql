-- What finance says of a settlement: so much arrived, in which currency, on which day. The newest of a payout counts; without
-- an amount it says that nothing arrived after all. difference: what the rest of the expected amount is.
CREATE TABLE settlement_arrivals (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payout_id      text NOT NULL,
  amount         numeric(36,18) CHECK (amount <> 'NaN' AND amount >= 0),
  currency       text CHECK (currency ~ '^[A-Z]{3}$'),
  arrived_on     date,
  bank_reference text,
  difference     text CHECK (difference IN ('fees', 'unexplained')),
  note           text NOT NULL CHECK (note <> ''),
  actor          text NOT NULL,
  at             timestamptz NOT NULL DEFAULT now(),
  CHECK ((amount IS NULL) = (currency IS NULL) AND (amount IS NULL) = (arrived_on IS NULL)),
  CHECK (amount IS NOT NULL OR (bank_reference IS NULL AND difference IS NULL))
);
CREATE INDEX settlement_arrivals_by_payout ON settlement_arrivals (payout_id, id DESC);
CREATE TRIGGER settlement_arrivals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settlement_arrivals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER settlement_arrivals_by_action AFTER INSERT ON settlement_arrivals DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_action('mark settlement');

CREATE INDEX payouts_by_type ON payouts (lower(payout_type), created_at DESC, id DESC);
