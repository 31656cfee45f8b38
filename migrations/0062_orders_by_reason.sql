-- Orders by why their goods are held, where the reason says more than the status: they are few. The others are found by their status.
CREATE INDEX orders_by_reason ON orders (release_reason, created_at DESC, reference DESC)
  WHERE release_reason <> status AND release_reason <> 'proven';
