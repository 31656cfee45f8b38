// Our receiver out of the library without an app: its router, or its very steps without Express and raw-body, to see what those two cost.
import { createServer } from 'node:http';
import { createReceiver } from '../../dist/index.js';
import { SECRET } from '../sign.mjs';

const [, , databaseUrl, way] = process.argv;
const receiver = await createReceiver({ databaseUrl, secrets: [{ label: 'bench', secret: SECRET }] });
const steps = receiver.router.stack[0].route.stack.map(({ handle }) => handle);

function bypass(req, res) {
  let body = Buffer.alloc(0);
  let size = 0;
  req.on('data', (chunk) => {
    if (size + chunk.length > body.length) body = Buffer.concat([body], 2 * (size + chunk.length));
    chunk.copy(body, size);
    size += chunk.length;
  });
  req.on('end', () => {
    // A body that express.raw() has read is taken as it is.
    req.body = Buffer.from(body.subarray(0, size));
    const next = (at) => steps[at](req, res, () => next(at + 1));
    next(0);
  });
}

createServer(way === 'steps' ? bypass : receiver.handler).listen(0, '127.0.0.1', function listening() {
  process.stdout.write(`receiver http://127.0.0.1:${this.address().port}\n`);
});
