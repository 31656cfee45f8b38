import http from 'node:http';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { loggedDeliveries } from '../support/deliveries.js';
import { sign } from '../support/signed.js';

/** Who is not the service, and what he was answered. */
export interface Strangers {
  /** By status; connections that ended without an answer are `none`. */
  answers: Map<string, number>;
  /** What was answered 200, to be found in the inbox. */
  acknowledged: { id: string; body: string }[];
  /** Requests that had to be refused and were answered 200. */
  wronglyAccepted: string[];
  port: number;
  /** An event as the service would send it. */
  send(body: string): Promise<string>;
  /** A request that must not be accepted. */
  sendBad(what: string, request: BadRequest): Promise<string>;
  /** Counts what came back on a connection that was written to by hand. */
  count(status: string): void;
  /** Events that the service has sent, the newest first. */
  sentBodies(most: number): Promise<{ timestamp: number; text: string }[]>;
  close(): void;
}

export interface BadRequest {
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  body: string | Buffer;
  /** Who signs; left out: nobody does. */
  secret?: string | undefined;
}

const TIMEOUT_MS = 15_000;
const MOST_CONNECTIONS = 400;

export function createStrangers(endpoint: { url: string; secret: string }, sandbox: Sandbox): Strangers {
  const { port, pathname: path } = new URL(endpoint.url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS });
  const answers: Strangers['answers'] = new Map();
  const acknowledged: Strangers['acknowledged'] = [];
  const wronglyAccepted: string[] = [];
  const count = (status: string) => void answers.set(status, (answers.get(status) ?? 0) + 1);

  const request = ({ method = 'POST', headers = {}, body, secret }: BadRequest): Promise<[string, string]> =>
    new Promise((resolve) => {
      const signature = secret === undefined ? {} : { 'x-service-signature': sign(body, secret) };
      const options = { host: '127.0.0.1', port, path, method, agent, timeout: TIMEOUT_MS };
      const given = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const outgoing = http.request({ ...options, headers: { ...given, ...signature, ...headers } });
      const none = () => resolve(['none', '']);
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('error', none);
      outgoing.on('response', (response) => {
        let text = '';
        response.on('data', (piece) => (text += String(piece)));
        response.on('error', none);
        response.on('end', () => resolve([String(response.statusCode), text]));
      });
      outgoing.end(body);
    });

  return {
    answers,
    acknowledged,
    wronglyAccepted,
    port: Number(port),
    count,
    async send(body) {
      const [status, text] = await request({ body, secret: endpoint.secret });
      count(status);
      if (status === '200') acknowledged.push({ id: (JSON.parse(text) as { id: string }).id, body });
      return status;
    },
    async sendBad(what, bad) {
      const [status] = await request(bad);
      count(status);
      if (status === '200') wronglyAccepted.push(what);
      return status;
    },
    async sentBodies(most) {
      const deliveries = await loggedDeliveries(sandbox);
      return deliveries
        .slice(0, most)
        .map(({ payload }) => ({ timestamp: payload.timestamp, text: JSON.stringify(payload) }));
    },
    close: () => agent.destroy(),
  };
}
