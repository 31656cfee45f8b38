// The ceiling: bare node:http, the HMAC, nothing else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { SECRET } from '../sign.mjs';

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const expected = Buffer.from(`sha256=${createHmac('sha256', SECRET).update(Buffer.concat(chunks)).digest('hex')}`);
    const given = Buffer.from(req.headers['x-service-signature'] ?? '');
    const ok = given.length === expected.length && timingSafeEqual(given, expected);
    res.writeHead(ok ? 200 : 401, { 'Content-Type': 'application/json' });
    res.end('{"received":true}');
  });
}).listen(0, '127.0.0.1', function listening() {
  process.stdout.write(`receiver http://127.0.0.1:${this.address().port}\n`);
});
