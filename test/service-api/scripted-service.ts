import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Act = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedService {
  url: string;
  /** One per request, in order; the last is repeated. */
  acts: Act[];
  requests: IncomingMessage[];
  close(): Promise<void>;
}

/** A real server, for what only a real network does: hang, reset, break off, decompress. */
export async function startScriptedService(...acts: Act[]): Promise<ScriptedService> {
  const requests: IncomingMessage[] = [];
  const service: ScriptedService = { url: '', acts, requests, close };
  const server = createServer((request, response) => {
    requests.push(request);
    const act = service.acts[requests.length - 1] ?? service.acts.at(-1);
    act?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;

  async function close(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

export function answer(body: string, headers: Record<string, string> = {}, status = 200): Act {
  return (_, response) => response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
}
