-- What a closing looks at among all breaks ever: critical ones, and those of a balance.
CREATE INDEX breaks_standing ON breaks (id) WHERE severity = 'critical' OR entity_kind = 'balance';
