-- All that gets a trigger below, at once and in one order, as 0036 does.
SET LOCAL lock_timeout = '5s';
LOCK TABLE periods, period_files, period_file_parts, opened_assets, posting_progress, entries, entry_lines, entry_rates, given_rates,
  balance_attributions, account_months, entry_months IN SHARE ROW EXCLUSIVE MODE;

-- A month changes only beside what a person did: the action of the same transaction says the same. Actions are sealed.
CREATE FUNCTION check_period_action() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM periods JOIN actions ON target = 'period ' || month AND outcome = 'done'
      AND action = CASE status WHEN 'closed' THEN 'close period' ELSE 'reopen period' END
    WHERE month = NEW.month AND actions.at = now() AND actions.reason IS NOT DISTINCT FROM periods.reason
      AND (actor, now()) = (CASE status WHEN 'closed' THEN closed_by ELSE reopened_by END,
                            CASE status WHEN 'closed' THEN closed_at ELSE reopened_at END)
      AND closings = (SELECT count(*) FROM actions AS closing WHERE closing.action = 'close period' AND closing.outcome = 'done'
                        AND closing.target = 'period ' || month)
  ) THEN
    RAISE EXCEPTION 'the month % changes only beside the action that closes or reopens it', NEW.month USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER periods_by_action AFTER INSERT OR UPDATE ON periods DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_period_action();
CREATE TRIGGER periods_kept BEFORE DELETE OR TRUNCATE ON periods FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- So do what finance gives: the argument is the action.
CREATE FUNCTION check_action() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM actions WHERE action = TG_ARGV[0] AND outcome = 'done' AND at = now() AND actor = NEW.actor) THEN
    RAISE EXCEPTION 'a row of % needs its action: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER given_rates_by_action AFTER INSERT ON given_rates DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_action('import rates');
CREATE CONSTRAINT TRIGGER balance_attributions_by_action AFTER INSERT ON balance_attributions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_action('attribute balance');

-- A posted entry is valued anew only by rates that are given in the same transaction.
CREATE FUNCTION refuse_loose_rate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM new_rates JOIN entries ON entries.id = entry_id
    WHERE posted_at <> now() AND NOT EXISTS (
      SELECT FROM given_rates WHERE given_rates.asset_code = new_rates.asset_code AND given_rates.currency = new_rates.currency
        AND given_rates.date = entries.day AND given_rates.rate = new_rates.rate AND imported_at = now())
  ) THEN
    RAISE EXCEPTION 'a posted entry is valued anew only by rates that finance gives' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entry_rates_given AFTER INSERT ON entry_rates REFERENCING NEW TABLE AS new_rates
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_loose_rate();

-- Files come with the closing that they are of, and their parts with them.
CREATE FUNCTION check_period_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM periods WHERE month = NEW.month AND status = 'closed' AND closings = NEW.closing AND closed_at = now()) THEN
    RAISE EXCEPTION 'a file of % comes only with its closing', NEW.month USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER period_files_of_closing AFTER INSERT ON period_files DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_period_file();
CREATE FUNCTION check_period_file_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM period_files WHERE id = NEW.file_id AND stored_at = now()) THEN
    RAISE EXCEPTION 'a stored file gets no more parts' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER period_file_parts_of_file AFTER INSERT ON period_file_parts DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_period_file_part();

-- Sums are kept by the triggers of entries and lines, and by nobody else.
CREATE FUNCTION refuse_by_hand() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() = 1 THEN
    RAISE EXCEPTION '% is kept with the entries', TG_TABLE_NAME USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER account_months_kept BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON account_months
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand();
CREATE TRIGGER entry_months_kept BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON entry_months
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand();

-- Openings are a sealed log too.
ALTER TABLE opened_assets ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
CREATE TRIGGER opened_assets_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON opened_assets
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER opened_assets_announced BEFORE INSERT ON opened_assets
  FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29776', 'opened_assets_id_seq');

-- Posting goes on, never back and never ahead of what is worked in.
CREATE FUNCTION check_posting_progress() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (TG_OP = 'UPDATE' AND NEW.seq < OLD.seq) OR NEW.seq > coalesce((SELECT seq FROM movements_progress), 0) THEN
    RAISE EXCEPTION 'posting cannot go to %', NEW.seq USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER posting_progress_onward BEFORE INSERT OR UPDATE ON posting_progress
  FOR EACH ROW EXECUTE FUNCTION check_posting_progress();
CREATE TRIGGER posting_progress_kept BEFORE DELETE OR TRUNCATE ON posting_progress
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
