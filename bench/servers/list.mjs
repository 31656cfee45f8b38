// The service's list of payments, newest first, as cheap as it can be: what is measured is who reads it. The first OPEN of
// them are pending, all others completed; each a minute older than the one before.
import { createServer } from 'node:http';
import { OPEN, paymentAt } from '../payments.mjs';

const count = Number(process.argv[2]);
const newest = Number(process.argv[3]);

const server = createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, 'http://127.0.0.1');
  const found = pathname === '/v1/payment-intents';
  res.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json', Date: new Date().toUTCString() });
  res.end(found ? page(searchParams) : '{"statusCode":404,"code":"not_found","message":"not here"}');
});

function page(query) {
  const take = Math.min(100, Number(query.get('take') ?? 20));
  const end = { pending: OPEN, completed: count }[query.get('status') ?? 'completed'] ?? 0;
  const first = query.get('status') === 'completed' ? OPEN : 0;
  const cursor = query.get('cursor');
  const from = cursor === null ? first : Math.max(first, indexOf(cursor) + 1);
  const rows = [];
  for (let index = from; index < Math.min(end, from + take); index += 1) rows.push(paymentAt(index, newest));
  return `[${rows.join(',')}]`;
}

function indexOf(id) {
  return 10_000_000 - Number(id.slice(3));
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`receiver http://127.0.0.1:${server.address().port}\n`);
});
