-- When a break was opened decides how old it is, and when it is due: it stays.
-- What a closed one rested on decides whether the same is opened again: it stays, too.
CREATE FUNCTION refuse_break_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'break % of % keeps when it was opened, and once it is closed, what it rests on', OLD.id, OLD.opened_at USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER breaks_age BEFORE UPDATE OF opened_at ON breaks FOR EACH ROW
  WHEN (OLD.opened_at IS DISTINCT FROM NEW.opened_at) EXECUTE FUNCTION refuse_break_change();
CREATE TRIGGER breaks_closed BEFORE UPDATE OF evidence, cause, shared ON breaks FOR EACH ROW
  WHEN (OLD.status NOT IN ('open', 'acknowledged') AND (OLD.evidence, OLD.cause, OLD.shared) IS DISTINCT FROM (NEW.evidence, NEW.cause, NEW.shared))
  EXECUTE FUNCTION refuse_break_change();

-- A break that becomes more severe has a step that says so.
CREATE FUNCTION check_escalation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM break_steps WHERE break_id = NEW.id AND action = 'escalated' AND at = now()) THEN
    RAISE EXCEPTION 'break % becomes more severe only with its step', NEW.id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER breaks_escalate AFTER UPDATE OF severity ON breaks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.severity IS DISTINCT FROM NEW.severity) EXECUTE FUNCTION check_escalation();
