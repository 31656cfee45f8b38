-- How many entries each month has, kept with them: for display. To count a month of a million takes longer than a page may.
CREATE TABLE entry_months (
  month   text PRIMARY KEY,
  entries bigint NOT NULL
);
CREATE FUNCTION add_entry_months() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO entry_months AS kept (month, entries)
  SELECT month, count(*) FROM new_entries GROUP BY month ORDER BY month
  ON CONFLICT (month) DO UPDATE SET entries = kept.entries + excluded.entries;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_by_month AFTER INSERT ON entries REFERENCING NEW TABLE AS new_entries
  FOR EACH STATEMENT EXECUTE FUNCTION add_entry_months();
INSERT INTO entry_months (month, entries) SELECT month, count(*) FROM entries GROUP BY month;
