-- The books of an asset open with what its balance was proven from.
CREATE FUNCTION check_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM balance_proofs
                 WHERE asset_code = NEW.asset_code AND (opening_balance, opening_at) = (NEW.balance, NEW.opened_at)) THEN
    RAISE EXCEPTION 'the books of % open with what its balance was proven from', NEW.asset_code USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER opened_assets_by_proof AFTER INSERT ON opened_assets FOR EACH ROW EXECUTE FUNCTION check_opening();

-- Entries keep the rate that they were given: what the service showed stays as it was shown.
CREATE TRIGGER asset_rates_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON asset_rates
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
