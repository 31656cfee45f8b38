-- Who is at a break; null: nobody. When it is due follows from its severity and when it was opened.
ALTER TABLE breaks ADD COLUMN owner text;
CREATE INDEX breaks_by_owner ON breaks (owner, id) WHERE owner IS NOT NULL AND status IN ('open', 'acknowledged');
