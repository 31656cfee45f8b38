-- Since when this program answers for records is decided once: whatever was made before is history, and no break.
CREATE FUNCTION refuse_adoption() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the adoption date stays as it was first set' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER installation_adopted_once BEFORE UPDATE OF adopted_at ON installation FOR EACH ROW
  WHEN (OLD.adopted_at IS DISTINCT FROM NEW.adopted_at) EXECUTE FUNCTION refuse_adoption();
CREATE TRIGGER installation_kept BEFORE DELETE OR TRUNCATE ON installation FOR EACH STATEMENT EXECUTE FUNCTION refuse_adoption();

-- A break becomes more severe, never less.
CREATE FUNCTION refuse_severity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'break % is %, and does not become %', OLD.id, OLD.severity, NEW.severity USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER breaks_severity BEFORE UPDATE OF severity ON breaks FOR EACH ROW
  WHEN (array_position(ARRAY['low', 'medium', 'high', 'critical'], NEW.severity)
      < array_position(ARRAY['low', 'medium', 'high', 'critical'], OLD.severity)) EXECUTE FUNCTION refuse_severity();

-- The step that closes a break comes with what it says of it.
CREATE FUNCTION check_closing_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM breaks WHERE id = NEW.break_id AND status <> NEW.action) AND NOT EXISTS (
      SELECT FROM break_steps WHERE break_id = NEW.break_id AND id > NEW.id AND action IN ('opened', 'escalated')) THEN
    RAISE EXCEPTION 'a step says that break % is %, which it is not', NEW.break_id, NEW.action USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER break_steps_close AFTER INSERT ON break_steps DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.action IN ('resolved', 'written_off', 'auto_resolved')) EXECUTE FUNCTION check_closing_step();
