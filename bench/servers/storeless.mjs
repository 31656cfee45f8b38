// The ceiling of our own receiver: the same router, the same checks, and nothing stored.
import { createServer } from 'node:http';
import { pino } from 'pino';
import { createMetrics } from '../../dist/metrics.js';
import { createReceiverApp } from '../../dist/webhook/receiver.js';
import { SECRET } from '../sign.mjs';

const receiver = createReceiverApp({
  db: null,
  log: pino({ level: 'silent' }),
  now: () => new Date(),
  metrics: createMetrics(),
  secrets: { current: () => [{ label: 'bench', secret: SECRET }] },
  tolerance: { past: 300, future: 60 },
  bodyLimit: 1024 * 1024,
  path: '/webhooks',
  eventIdPointer: 'auto',
  onStored: () => {},
  inbox: { store: async () => ({ id: '1', duplicate: false, open: false }), close: async () => {} },
});
createServer(receiver.listener).listen(0, '127.0.0.1', function listening() {
  process.stdout.write(`receiver http://127.0.0.1:${this.address().port}\n`);
});
