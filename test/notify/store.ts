import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface Arrival {
  id: string;
  body: string;
  path: string;
  headers: Record<string, string>;
}

/** A store, or a chat, on this machine. `answer` decides what becomes of each request; it is 204 by itself. */
export interface Store {
  url: string;
  arrivals: Arrival[];
  answer: (arrival: Arrival, res: ServerResponse) => void | Promise<void>;
  close(): Promise<void>;
}

export const SECRET = `whsec_${Buffer.from('a secret that both sides know').toString('base64')}`;

export async function startStore(): Promise<Store> {
  const server = createServer((req, res) => void take(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store: Store = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`,
    arrivals: [],
    answer: (_, res) => void res.writeHead(204).end(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const headers = req.headers as Record<string, string>;
    const arrival = { id: headers['webhook-id'] ?? '', body: await text(req), path: req.url ?? '', headers };
    store.arrivals.push(arrival);
    await store.answer(arrival, res);
  }
  return store;
}

/** What the store makes of it: throws unless the library finds the signature right. */
export function verified({ body, headers }: Arrival, secret = SECRET): Received {
  return new Webhook(secret).verify(body, headers) as Received;
}

export interface Received {
  type: string;
  id: string;
  timestamp: string;
  data: { reference: string; status: string; release: { safe: boolean; reason: string } };
}
