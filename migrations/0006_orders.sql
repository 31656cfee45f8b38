-- Keyed by merchantReference, byte for byte. Derived from the records in the transaction that saves them.
CREATE TABLE orders (
  reference         text PRIMARY KEY,
  expected_amount   numeric(36,18) CHECK (expected_amount <> 'NaN'),
  expected_currency text,
  registered_at     timestamptz,
  status            text NOT NULL,
  payment_intents   text[] NOT NULL DEFAULT '{}',
  invoices          text[] NOT NULL DEFAULT '{}',
  refunds           text[] NOT NULL DEFAULT '{}',
  release_safe      boolean NOT NULL,
  release_reason    text NOT NULL,
  release_proven_at timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX orders_newest ON orders (created_at DESC, reference DESC);
CREATE INDEX orders_by_status ON orders (status, created_at DESC);
