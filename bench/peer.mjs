// The peer, @supabase/stripe-sync-engine, on a database of ours.
import { createRequire } from 'node:module';
import pg from 'pg';
import { SECRET } from './sign.mjs';

// Its migrations are found only from the CommonJS build.
const { StripeSync, runMigrations } = createRequire(import.meta.url)('@supabase/stripe-sync-engine');

export async function openPeer(databaseUrl) {
  // Its migrations give tables to a role of this name, and only log when that fails.
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('DO $$ BEGIN CREATE ROLE postgres; EXCEPTION WHEN duplicate_object THEN NULL; END $$');
  await admin.end();
  await runMigrations({ databaseUrl, schema: 'stripe' });
  const sync = new StripeSync({
    poolConfig: { connectionString: databaseUrl, max: 10 },
    stripeSecretKey: 'sk_test_bench',
    stripeWebhookSecret: SECRET,
  });
  // A connection that ends while it idles would end the whole run.
  sync.postgresClient.pool.on('error', () => {});
  return sync;
}
