-- Orders that wait for a person's word about a refund: counted twice a minute, few among many.
CREATE INDEX orders_refund_unlinked ON orders (reference) WHERE release_reason = 'refund_unlinked';
-- Requests refused for their signature whose headers are those of the service (specification 6.1), apart from noise.
ALTER TABLE rejections ADD COLUMN like_service boolean NOT NULL DEFAULT false;
ALTER TABLE rejection_counts ADD COLUMN like_service bigint NOT NULL DEFAULT 0;
-- What each role was started with, of the settings that all roles must share.
CREATE TABLE setting_signs (
  setting text,
  value   text,
  part    text,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (setting, value, part)
);
