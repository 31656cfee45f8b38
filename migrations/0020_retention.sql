-- What is kept how long (docs/retention.md). A body that is NULL was deleted by its age; the key stays, for duplicates.
ALTER TABLE inbox ALTER COLUMN body DROP NOT NULL;

-- masked: the personal fields of the record were struck out by its age, and stay so whatever is read of it later.
ALTER TABLE payment_intents ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE payins ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE invoices ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE payouts ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE accounts ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE transactions ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE balances ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE endpoints ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE settlement_accounts ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE products ADD COLUMN masked boolean NOT NULL DEFAULT false;
ALTER TABLE assets ADD COLUMN masked boolean NOT NULL DEFAULT false;

-- A delivery that we first see when the keys of its time are gone: nobody can know any more what became of it.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_class_check;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_class_check
  CHECK (class IN ('received', 'received_sibling', 'pending_retry', 'rejected', 'never_reached', 'phantom', 'other_endpoint', 'too_old'));

-- How far each part of retention is.
--   place       where a pass goes on that was cut short, or that reads only what is new; null: from the start
--   cutoff      what is older may be gone; it never goes back
--   whole_at    when a pass last began at the start
CREATE TABLE retention (
  task         text PRIMARY KEY,
  place        text,
  cutoff       timestamptz NOT NULL,
  done         bigint NOT NULL DEFAULT 0,
  whole_at     timestamptz NOT NULL,
  started_at   timestamptz NOT NULL,
  finished_at  timestamptz
);
