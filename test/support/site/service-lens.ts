import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.js';

/** How another service would show a record of the sandbox's; `path` is that of the request. */
type Shown = (record: JsonObject, path: string) => JsonObject;

/** A way to the sandbox's API on which each record may look as the specification allows it and the sandbox does not show it. */
export interface ServiceLens {
  url: string;
  /** From here on; null: as the sandbox shows them. */
  look(shown: Shown | null): void;
  close(): Promise<void>;
}

export async function createServiceLens(target: string): Promise<ServiceLens> {
  let shown: Shown | null = null;
  const server = createServer((asked, answer) => {
    const forwarded = request(
      target + (asked.url ?? '/'),
      { method: asked.method ?? 'GET', headers: withoutEncoding(asked.headers) },
      (reply) => void pass(reply, answer, asked.url ?? '/', shown),
    );
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    look: (next) => {
      shown = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function withoutEncoding({ 'accept-encoding': _encoding, host: _host, ...headers }: IncomingMessage['headers']) {
  return headers;
}

async function pass(reply: IncomingMessage, answer: ServerResponse, path: string, shown: Shown | null): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of reply) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const seen = shown !== null && reply.statusCode === 200 ? seenThrough(shown, body, path) : body;
  const { 'transfer-encoding': _encoding, ...headers }: OutgoingHttpHeaders = reply.headers;
  answer.writeHead(reply.statusCode ?? 502, { ...headers, 'content-length': seen.length });
  answer.end(seen);
}

function seenThrough(shown: Shown, body: Buffer, path: string): Buffer {
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  const one = (item: unknown): unknown => (isJsonObject(item as JsonObject) ? shown(item as JsonObject, path) : item);
  return Buffer.from(JSON.stringify(Array.isArray(parsed) ? parsed.map(one) : one(parsed)));
}
