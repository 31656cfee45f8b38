-- How far the cross-checks are is no run's word.
ALTER TABLE watermarks ALTER COLUMN run_id DROP NOT NULL;

-- Records and orders that are to be checked again though nothing may have changed by then: a grace ends.
CREATE TABLE check_agenda (
  entity_kind text NOT NULL,
  entity_id   text NOT NULL,
  due_at      timestamptz NOT NULL,
  PRIMARY KEY (entity_kind, entity_id)
);
CREATE INDEX check_agenda_due ON check_agenda (due_at);

-- Identities that the specification does not state, as this account's records show them (docs/breaks.md, fee_identity).
--   held_by    records of which it held one after another, until that is enough; emptied by one of which it does not
--   proven_at  since then a record that breaks it is a break
CREATE TABLE identity_evidence (
  identity  text PRIMARY KEY,
  held_by   text[] NOT NULL DEFAULT '{}',
  failed_by text[] NOT NULL DEFAULT '{}',
  proven_at timestamptz
);

-- What the newest complete reading of a list by a status filter showed. Times in ms of the service's clock.
CREATE TABLE filter_listings (
  record_kind text NOT NULL,
  status      text NOT NULL,
  from_ms     bigint NOT NULL,
  to_ms       bigint NOT NULL,
  ids         text[] NOT NULL,
  checked     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (record_kind, status)
);

CREATE INDEX orders_registered ON orders (registered_at) WHERE registered_at IS NOT NULL;

-- A digest of the facts that a break rests on, without times and sources. One that a person closed is not opened again for
-- the same cause. Null: every finding counts.
ALTER TABLE breaks ADD COLUMN cause text;
