-- When each part was last known to be at work: receivers and workers say so themselves, `alerts` is the check of all conditions.
CREATE TABLE signs_of_life (
  part    text PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
