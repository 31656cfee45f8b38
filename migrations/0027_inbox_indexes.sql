-- Every event is `received` first and `applied` soon after. Those that wait are in inbox_open; an index of both would be
-- written twice for each event, and found useful for the few that end otherwise.
DROP INDEX inbox_by_status;
CREATE INDEX inbox_by_status ON inbox (status, id DESC) WHERE status IN ('failed', 'unhandled', 'dead');
