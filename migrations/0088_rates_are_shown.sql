-- What a balance shows as the rate of its asset, in the JSON text of its fields. "0": no price.
CREATE FUNCTION shown_rate(fields text) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT substring(fields FROM '"usdRate":"([0-9]{1,18}([.][0-9]{1,18}){0,1})"')::numeric
$$;

-- A rate is kept where the balance of its asset shows it: what values the books has a poll that showed it.
CREATE FUNCTION check_shown_rate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM balances WHERE id = NEW.asset_code AND shown_rate(shown) = coalesce(NEW.rate, 0)) THEN
    RAISE EXCEPTION 'the balance of % does not show this rate', NEW.asset_code USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER asset_rates_shown AFTER INSERT ON asset_rates FOR EACH ROW EXECUTE FUNCTION check_shown_rate();
