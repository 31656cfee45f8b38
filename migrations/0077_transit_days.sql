-- What payouts left in transit on each day, kept with the lines: placing them reads days, not every payout there ever was.
CREATE TABLE transit_days (
  asset_code text NOT NULL,
  month text NOT NULL,
  day date NOT NULL,
  -- Without what was placed since
  amount numeric NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (asset_code, month, day)
);
LOCK TABLE entries, entry_lines IN SHARE ROW EXCLUSIVE MODE;
CREATE FUNCTION add_transit_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transit_days AS kept (asset_code, month, day, amount, last_at)
  SELECT asset_code, month, day, sum(amount), max(at) FROM new_lines JOIN entries ON entries.id = entry_id
  WHERE account = 'assets:in-transit:payouts' AND record_kind <> 'placement'
  GROUP BY asset_code, month, day
  ON CONFLICT (asset_code, month, day) DO UPDATE
    SET amount = kept.amount + excluded.amount, last_at = greatest(kept.last_at, excluded.last_at);
  RETURN NULL;
END $$;
CREATE TRIGGER entry_lines_in_transit AFTER INSERT ON entry_lines REFERENCING NEW TABLE AS new_lines
  FOR EACH STATEMENT EXECUTE FUNCTION add_transit_days();
INSERT INTO transit_days (asset_code, month, day, amount, last_at)
SELECT asset_code, month, day, sum(amount), max(at) FROM entry_lines JOIN entries ON entries.id = entry_id
WHERE account = 'assets:in-transit:payouts' AND record_kind <> 'placement'
GROUP BY asset_code, month, day;
CREATE TRIGGER transit_days_kept BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON transit_days
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand();
-- What a day's payouts were worth, when they are placed.
CREATE INDEX entries_by_day ON entries (day);
