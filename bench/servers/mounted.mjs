// Our receiver as a shop mounts it: in a whole Express app of its own, on the same Postgres.
import express from 'express';
import { createReceiver } from '../../dist/index.js';
import { SECRET } from '../sign.mjs';

const receiver = await createReceiver({ databaseUrl: process.argv[2], secrets: [{ label: 'bench', secret: SECRET }] });
const app = express();
app.use('/webhooks', receiver.router);
app.use(express.json());
app.listen(0, '127.0.0.1', function listening() {
  process.stdout.write(`receiver http://127.0.0.1:${this.address().port}\n`);
});
