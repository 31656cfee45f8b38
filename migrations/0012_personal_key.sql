-- The key of the digests that stand for personal fields in the history of changes: the same value has the same digest,
-- and whoever deletes the key (or masks the person) leaves every row and seal as it is.
CREATE TABLE personal_key (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  key      bytea NOT NULL
);
INSERT INTO personal_key (key)
SELECT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
