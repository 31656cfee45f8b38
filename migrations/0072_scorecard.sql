-- The service's scorecard, by day of BOOKS_TIMEZONE: what the events that came on it, or did not, add up to.
CREATE TABLE scorecard_days (
  day date NOT NULL,
  time_zone text NOT NULL,
  counted_at timestamptz NOT NULL,
  -- src/domain/scorecard/card.ts, CountedDay
  counts jsonb NOT NULL,
  PRIMARY KEY (day, time_zone)
);

-- Attempts of calls to the service by hour, and how each ended.
CREATE TABLE service_call_counts (
  hour timestamptz NOT NULL,
  operation text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('answered', 'refused', 'limited', 'failed', 'no_answer')),
  count bigint NOT NULL,
  PRIMARY KEY (hour, operation, outcome)
);
