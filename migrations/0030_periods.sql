-- Months of the books, YYYY-MM in their zone. One without a row is open.
CREATE TABLE periods (
  month     text PRIMARY KEY CHECK (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  status    text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  closed_at timestamptz,
  closed_by text,
  reason    text,
  CHECK (status <> 'closed' OR (closed_at IS NOT NULL AND closed_by IS NOT NULL))
);
CREATE INDEX periods_closed ON periods (month) WHERE status = 'closed';
