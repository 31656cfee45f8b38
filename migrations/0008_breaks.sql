CREATE TABLE breaks (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL,
  severity    text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
  entity_kind text NOT NULL,
  entity_id   text NOT NULL,
  evidence    text NOT NULL,
  status      text NOT NULL DEFAULT 'open'
              CHECK (status IN ('open', 'acknowledged', 'resolved', 'written_off', 'auto_resolved')),
  opened_at   timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz
);
-- One open break per (kind, entity).
CREATE UNIQUE INDEX breaks_one_open ON breaks (kind, entity_kind, entity_id) WHERE status IN ('open', 'acknowledged');
CREATE INDEX breaks_by_status ON breaks (status, id DESC);
CREATE INDEX breaks_by_entity ON breaks (entity_kind, entity_id);

CREATE TABLE break_steps (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  break_id bigint NOT NULL REFERENCES breaks ON DELETE CASCADE,
  action   text NOT NULL,
  actor    text NOT NULL,
  note     text,
  at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX break_steps_by_break ON break_steps (break_id, id);
