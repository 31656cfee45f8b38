-- What came in and went back lately, by the hour: the console's overview reads the entries of three days, not of all.
CREATE INDEX entries_by_time ON entries (at);
