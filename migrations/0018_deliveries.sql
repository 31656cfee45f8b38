-- What the service says it delivered, and what became of it here (specification 2.13): one class for each delivery.
--   event_key, content_hash, event_timestamp   of the payload, as an arrival has them; null: no payload that is an event
--   answered_id, answered_error                what the service noted of our own answer
--   payload                                    kept only while the event may have to be recovered from it
--   open                                       its class may change though the service says nothing new, or it is not made good yet
--   inbox_id                                   the event it is paired with; no reference, because events are deleted by age
CREATE TABLE deliveries (
  id               text PRIMARY KEY,
  endpoint_id      text,
  endpoint_url     text,
  event_type       text,
  status           text,
  http_status      integer,
  attempts         integer,
  last_attempt_at  timestamptz,
  next_retry_at    timestamptz,
  created_at       timestamptz,
  event_key        text,
  content_hash     text,
  event_timestamp  double precision,
  answered_id      text,
  answered_error   text,
  payload          text,
  payload_hash     text,
  ours             boolean NOT NULL,
  class            text NOT NULL CHECK (class IN ('received', 'received_sibling', 'pending_retry', 'rejected', 'never_reached', 'phantom', 'other_endpoint')),
  class_since      timestamptz NOT NULL DEFAULT now(),
  reason           text,
  missed           boolean NOT NULL DEFAULT false,
  open             boolean NOT NULL DEFAULT false,
  inbox_id         bigint,
  recovered_at     timestamptz,
  poll_from        bigint NOT NULL,
  poll_ref         text NOT NULL,
  first_seen_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deliveries_newest ON deliveries (created_at DESC NULLS FIRST, id DESC);
CREATE INDEX deliveries_by_class ON deliveries (class, created_at DESC NULLS FIRST, id DESC) WHERE class NOT IN ('received', 'other_endpoint');
CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, created_at DESC NULLS FIRST, id DESC);
CREATE INDEX deliveries_by_event ON deliveries (event_key);
CREATE INDEX deliveries_by_inbox ON deliveries (inbox_id);
-- Those whose class may still change, or that are not made good yet.
CREATE INDEX deliveries_open ON deliveries (created_at, id) WHERE open;

-- Rejections are looked up by the body that a delivery says it sent.
CREATE INDEX rejections_by_body ON rejections (body_hash);

-- Who retired a secret stands in its note; the row outlives the configuration.
ALTER TABLE secrets ADD COLUMN retired_by text;
