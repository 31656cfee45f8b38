-- Every version of what the store registered of an order; the newest is what the order has. Append-only.
--   actor  the name of a console token; null: a program that kept no versions registered it
CREATE TABLE order_registrations (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reference text NOT NULL,
  action    text NOT NULL CHECK (action IN ('registered', 'changed', 'withdrawn')),
  amount    numeric(36,18) CHECK (amount <> 'NaN'),
  currency  text,
  actor     text,
  at        timestamptz NOT NULL DEFAULT now(),
  CHECK ((action = 'withdrawn') = (amount IS NULL) AND (amount IS NULL) = (currency IS NULL))
);
CREATE INDEX order_registrations_by_reference ON order_registrations (reference, id);
CREATE INDEX order_registrations_by_time ON order_registrations (at);
CREATE TRIGGER order_registrations_append_only BEFORE UPDATE OR DELETE ON order_registrations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What a reference looks like (src/domain/reference-skeleton.ts): references that look alike are pointed out to one another.
-- Null: not yet made. The leader of the schedulers makes it in slices, so that no row is written here; where it is to be
-- made by other rules, a migration sets it to null.
ALTER TABLE orders ADD COLUMN reference_skeleton text;
CREATE INDEX orders_by_skeleton ON orders (reference_skeleton);
CREATE INDEX orders_without_skeleton ON orders (reference) WHERE reference_skeleton IS NULL;
DROP INDEX orders_by_folded_reference;
