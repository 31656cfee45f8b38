-- A transaction may take a number of `changes` early and commit late. So whoever takes numbers announces first, by a
-- shared advisory lock that ends with the transaction, a bound below all of them; readers stop at the lowest bound.
-- (Stopping at pg_snapshot_xmin does not do: a transaction may begin first and take its numbers last.)
-- The lock's key: 0x7448 in the top 16 bits, the bound in the other 48.
CREATE FUNCTION announce_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared((29768::bigint << 48) | coalesce(pg_sequence_last_value('changes_seq_seq'), 0));
  RETURN NULL;
END $$;
CREATE TRIGGER changes_announced BEFORE INSERT ON changes FOR EACH STATEMENT EXECUTE FUNCTION announce_changes();

-- Up to here every row is there to be seen by the *next* statement, and none will be added.
-- The order of the two reads matters: a number taken after the first is above it.
CREATE FUNCTION changes_settled_up_to() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  issued bigint := coalesce(pg_sequence_last_value('changes_seq_seq'), 0);
  announced bigint;
BEGIN
  SELECT min(((classid::bigint << 32) | objid::bigint) & ((1::bigint << 48) - 1)) INTO announced
  FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = 29768
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
  RETURN least(issued, coalesce(announced, issued));
END $$;
