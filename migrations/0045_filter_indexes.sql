-- What the read API is asked for by `verified=false`, `complete=false` and `full=true` is little among much. Each index holds that
-- little alone. The largest table is the last: who writes to it waits for its own index and for no other.
CREATE INDEX runs_incomplete ON runs (id DESC) WHERE NOT complete;
CREATE INDEX runs_full ON runs (id DESC) WHERE "full";
CREATE INDEX accounts_unverified ON accounts (created_at DESC, id DESC) WHERE NOT verified;
CREATE INDEX transactions_unverified ON transactions (created_at DESC, id DESC) WHERE NOT verified;
CREATE INDEX payouts_unverified ON payouts (created_at DESC, id DESC) WHERE NOT verified;
CREATE INDEX invoices_unverified ON invoices (created_at DESC, id DESC) WHERE NOT verified;
CREATE INDEX payins_unverified ON payins (created_at DESC, id DESC) WHERE NOT verified;
CREATE INDEX payment_intents_unverified ON payment_intents (created_at DESC, id DESC) WHERE NOT verified;
