-- Every webhook is held against the service's own delivery history. Nearly all are found there: only those that are not have a row here.
--   state    matched: the history has it, and what was stored of that may change; unmatched: it lacks it so far, or does not say;
--            not_sent: a complete reading that must have it lacks it; differs: so do too many others, which says nothing of this one
--   single   it has a break of its own
--   reason   not_listed, or other_content: the history has its id with another content
CREATE TABLE report_checks (
  inbox_id     bigint PRIMARY KEY,
  secret_label text NOT NULL,
  received_at  timestamptz NOT NULL,
  state        text NOT NULL CHECK (state IN ('matched', 'unmatched', 'not_sent', 'differs')),
  single       boolean NOT NULL DEFAULT false,
  reason       text,
  judged_at    timestamptz
);
CREATE INDEX report_checks_matched ON report_checks (inbox_id) WHERE state = 'matched';
CREATE INDEX report_checks_unmatched ON report_checks (secret_label, received_at) WHERE state = 'unmatched';
CREATE INDEX report_checks_lacking ON report_checks (secret_label, received_at) WHERE state IN ('not_sent', 'differs');
CREATE INDEX report_checks_single ON report_checks (judged_at) WHERE single;
-- What came before is not judged: whether the history was known then is not written down.
INSERT INTO watermarks (kind, name, value)
SELECT 'reports', 'taken in', jsonb_build_object('id', coalesce(max(id), 0)::text) FROM inbox;

-- Deliveries whose content may be that of an event that came by another way.
CREATE INDEX deliveries_unpaired ON deliveries (content_hash) WHERE inbox_id IS NULL AND content_hash IS NOT NULL;
-- The rest of what the service shows of a delivery, as JSON; empty: deleted by its age.
ALTER TABLE deliveries ADD COLUMN details text;

-- trigger: a test by `tallyhook trigger`, of which nothing follows.
ALTER TABLE inbox ADD COLUMN mark text;
