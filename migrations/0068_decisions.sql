-- Whoever counts once however their name is written: capitals, or as a user of the operating system.
CREATE FUNCTION decision_person(name text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT lower(regexp_replace(name, '^os:', '')) $$;

-- What one person asks of finance and another approves, where FOUR_EYES is on. Asked once and decided once.
CREATE TABLE decisions (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- As the audit names it.
  action     text NOT NULL CHECK (action IN ('attribute balance', 'close period', 'import rates', 'reopen period', 'write off break')),
  -- What it would be done to, as the audit names it.
  subject    text NOT NULL,
  -- Canonical JSON.
  input      text NOT NULL,
  -- What the asker was shown, in lines, and a hash of the facts behind it.
  preview    text NOT NULL,
  seen       text NOT NULL,
  reason     text NOT NULL,
  asked_by   text NOT NULL,
  asked_at   timestamptz NOT NULL DEFAULT now(),
  state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'approved', 'refused', 'withdrawn', 'expired')),
  decided_by text,
  decided_at timestamptz,
  note       text,
  -- In a sentence.
  outcome    text,
  CONSTRAINT decisions_decided CHECK ((state = 'waiting') = (decided_by IS NULL) AND (state = 'waiting') = (decided_at IS NULL)),
  CONSTRAINT decisions_two_people CHECK (
    CASE WHEN state IN ('approved', 'refused') THEN decision_person(decided_by) <> decision_person(asked_by)
         WHEN state = 'withdrawn' THEN decision_person(decided_by) = decision_person(asked_by) ELSE true END)
);
CREATE UNIQUE INDEX decisions_waiting_once ON decisions (action, md5(input)) WHERE state = 'waiting';

-- What the sealed action of asking says of it.
CREATE FUNCTION decision_hash(asked decisions) RETURNS text LANGUAGE sql AS $$
  SELECT encode(sha256(convert_to(concat_ws(E'\n', asked.action, asked.subject, asked.input, asked.seen, asked.preview), 'UTF8')), 'hex')
$$;

CREATE FUNCTION check_decision_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> 'waiting' OR NEW.state = 'waiting' OR NEW.decided_at <> now()
    OR (OLD.id, OLD.action, OLD.subject, OLD.input, OLD.preview, OLD.seen, OLD.reason, OLD.asked_by, OLD.asked_at)
       IS DISTINCT FROM (NEW.id, NEW.action, NEW.subject, NEW.input, NEW.preview, NEW.seen, NEW.reason, NEW.asked_by, NEW.asked_at) THEN
    RAISE EXCEPTION 'a decision is asked once and decided once' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER decisions_once BEFORE UPDATE ON decisions FOR EACH ROW EXECUTE FUNCTION check_decision_change();
CREATE TRIGGER decisions_kept BEFORE DELETE OR TRUNCATE ON decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Its actions are sealed: of asking, of deciding, and of what was approved, which names both persons. Each comes in the transaction of its change.
CREATE INDEX actions_by_target ON actions (target, id DESC) WHERE target IS NOT NULL;
CREATE INDEX actions_of_decision ON actions ((details ->> 'decision')) WHERE details ->> 'decision' IS NOT NULL;
CREATE FUNCTION decision_has_actions(asked decisions) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (
      SELECT FROM actions WHERE target = 'decision ' || asked.id AND action = 'ask approval' AND outcome = 'asked'
        AND at = asked.asked_at AND actor = asked.asked_by AND reason = asked.reason AND details ->> 'sha256' = decision_hash(asked))
    AND (asked.state = 'waiting' AND asked.note IS NULL AND asked.outcome IS NULL OR EXISTS (
      SELECT FROM actions WHERE target = 'decision ' || asked.id AND outcome = 'done' AND at = asked.decided_at AND actor = asked.decided_by
        AND action = CASE asked.state WHEN 'approved' THEN 'approve decision' WHEN 'refused' THEN 'refuse decision'
          WHEN 'withdrawn' THEN 'withdraw decision' WHEN 'expired' THEN 'expire decision' END
        AND reason IS NOT DISTINCT FROM asked.note AND details ->> 'told' = asked.outcome))
    AND (asked.state <> 'approved' OR EXISTS (
      SELECT FROM actions WHERE details ->> 'decision' = asked.id::text AND action = asked.action AND outcome = 'done'
        AND at = asked.decided_at AND actor = asked.asked_by AND details ->> 'approvedBy' = asked.decided_by))
$$;
CREATE FUNCTION check_decision_action() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(NEW.decided_at, NEW.asked_at) <> now() OR TG_OP = 'INSERT' AND NEW.state <> 'waiting' OR NOT decision_has_actions(NEW) THEN
    RAISE EXCEPTION 'decision % needs its actions', NEW.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER decisions_by_action AFTER INSERT OR UPDATE ON decisions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_decision_action();
