// The peer: @supabase/stripe-sync-engine's processWebhook behind Express, on the same Postgres.
import { createRequire } from 'node:module';
import express from 'express';
import pg from 'pg';
import { SECRET } from '../sign.mjs';

// Its migrations are found only from the CommonJS build.
const { StripeSync, runMigrations } = createRequire(import.meta.url)('@supabase/stripe-sync-engine');

const databaseUrl = process.argv[2];
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

const app = express();
app.post('/webhooks', express.raw({ type: '*/*' }), async (req, res) => {
  await sync.processWebhook(req.body, req.headers['stripe-signature']);
  res.json({ received: true });
});
app.use((error, _req, res, _next) => {
  process.stderr.write(`${error.stack}\n`);
  res.status(500).end();
});
app.listen(0, '127.0.0.1', function listening() {
  process.stdout.write(`receiver http://127.0.0.1:${this.address().port}\n`);
});
