-- Creating calls to the service, each under its idempotency key, written down before they are sent.
--   open     begun; in doubt once the lease has run out: to be sent once more under the same key
--   refused, unsent   made nothing: the key is free again
--   lost     in doubt for too long to be sent again
-- `request` is what it takes to send the call again (it may be personal); null once it is settled, or where it must
-- not be kept.
CREATE TABLE service_writes (
  operation    text NOT NULL,
  key          text NOT NULL,
  hash         text NOT NULL,
  status       text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'done', 'refused', 'unsent', 'lost')),
  request      text,
  object_id    text,
  begun_at     timestamptz NOT NULL DEFAULT now(),
  leased_until timestamptz NOT NULL,
  ended_at     timestamptz,
  PRIMARY KEY (operation, key)
);
CREATE INDEX service_writes_open ON service_writes (begun_at) WHERE status IN ('open', 'lost');
