-- What to do about an alert depends on what was found. Null: what its condition says, as in rows from before.
ALTER TABLE alerts ADD COLUMN remedy text;
