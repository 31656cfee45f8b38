-- What a record is found by that has no column of its own: an address, an e-mail. `key` is the beginning of an HMAC of the value
-- with the installation's personal key: the value itself is in no index. Whoever finds a record by it compares the value: a row may
-- outlive the value that it was made of.
CREATE TABLE search_keys (
  key bigint NOT NULL,
  kind text NOT NULL,
  id text NOT NULL,
  PRIMARY KEY (key, kind, id)
);
