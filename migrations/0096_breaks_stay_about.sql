-- What a break is about stays: another record or kind would be another break.
CREATE FUNCTION refuse_other_break() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'break % stays about the % of % %', OLD.id, OLD.kind, OLD.entity_kind, OLD.entity_id USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER breaks_same BEFORE UPDATE OF kind, entity_kind, entity_id ON breaks FOR EACH ROW
  WHEN ((OLD.kind, OLD.entity_kind, OLD.entity_id) IS DISTINCT FROM (NEW.kind, NEW.entity_kind, NEW.entity_id)) EXECUTE FUNCTION refuse_other_break();
