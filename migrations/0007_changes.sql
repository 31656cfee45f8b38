-- Append-only: every field of every record, from, to, and the observation that changed it.
-- `xid` lets a reader stop below transactions that may still commit (pg_snapshot_xmin).
CREATE TABLE changes (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid          xid8 NOT NULL DEFAULT pg_current_xact_id(),
  entity_kind  text NOT NULL,
  entity_id    text NOT NULL,
  field        text NOT NULL,
  from_value   text,
  to_value     text,
  source_type  text NOT NULL,
  source_ref   text NOT NULL,
  service_time timestamptz,
  changed_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX changes_by_entity ON changes (entity_kind, entity_id, seq);
