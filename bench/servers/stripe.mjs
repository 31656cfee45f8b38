// The peer's processWebhook behind Express, on the same Postgres.
import express from 'express';
import { openPeer } from '../peer.mjs';

const sync = await openPeer(process.argv[2]);

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
