-- That an attribution stands on the wrong account: from its day on it stands on this one. step: how often it was rebooked until then.
CREATE TABLE attribution_rebookings (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  attribution_id bigint NOT NULL REFERENCES balance_attributions,
  step           integer NOT NULL CHECK (step > 0),
  contra         text NOT NULL,
  note           text NOT NULL CHECK (note <> ''),
  actor          text NOT NULL,
  at             timestamptz NOT NULL DEFAULT now(),
  booked_on      date NOT NULL,
  UNIQUE (attribution_id, step)
);
CREATE TRIGGER attribution_rebookings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON attribution_rebookings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER attribution_rebookings_by_action AFTER INSERT ON attribution_rebookings DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_action('rebook attribution');

ALTER TABLE decisions DROP CONSTRAINT decisions_action_check;
ALTER TABLE decisions ADD CONSTRAINT decisions_action_check CHECK (
  action IN ('attribute balance', 'close period', 'import rates', 'mark settlement', 'rebook attribution', 'reopen period', 'write off break'));
