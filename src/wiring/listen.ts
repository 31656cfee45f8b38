import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../errors.js';

export interface Listener {
  /** With the port that was really taken. */
  url: string;
  /** From now on requests go to this handler. */
  serve(handler: RequestListener): void;
  /** Takes no new connection, lets requests under way finish, for 10 s at most. A second call waits for the first. */
  close(): Promise<void>;
}

const DRAIN_MS = 10_000;
/** Slow senders are cut off long before Node's own limits of 60 s and 5 min. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 };
/** Longer than common load balancers keep an idle connection, so that they close it and not we under a request. */
const KEEP_ALIVE_MS = 75_000;
/** Longer than any answer takes. Who neither sends nor reads for so long would keep his answers in our memory for ever. */
const SILENCE_MS = 60_000;
/** So that whoever opens connections without end leaves enough of them to the database. */
const MAX_CONNECTIONS = 2_000;

interface Place {
  host: string;
  port: number;
  /** The settings to blame for a host that is none of this machine's, and for a port that can't be had. */
  names: { host: string; port: string };
}

/** Listens, and answers with `first` until `serve` is called. From `leaving` on each answer is the last of its connection. */
export async function listen(
  place: Place,
  first: RequestListener,
  {
    silenceMs = SILENCE_MS,
    maxConnections = MAX_CONNECTIONS,
    limits = LIMITS,
    leaving,
  }: { silenceMs?: number; maxConnections?: number; limits?: typeof LIMITS; leaving?: AbortSignal } = {},
): Promise<Listener> {
  let handler = first;
  let closing: Promise<void> | null = null;
  const server = createServer({ ...limits, keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    if (leaving?.aborted) res.setHeader('Connection', 'close');
    handler(req, res);
  });
  server.timeout = silenceMs;
  server.maxConnections = maxConnections;
  // Those that only wait for their next request make room for new ones.
  server.on('drop', () => server.closeIdleConnections());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, place)));
    server.listen(place.port, place.host, resolve);
  });
  return {
    url: urlOf(place.host, (server.address() as AddressInfo).port),
    serve: (next) => {
      handler = next;
    },
    close: () => (closing ??= drain(server)),
  };
}

const PORT_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
};
const HOST_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'this machine does not have that address',
  EAFNOSUPPORT: 'this machine has no addresses of that kind',
  EINVAL: 'it is no address to listen at',
  ENOTFOUND: 'that host name is not known',
  EAI_AGAIN: 'that host name can’t be looked up now',
};

/** Why nothing can listen there, in words. */
export function explain(error: Error, { host, port, names }: Place): Error {
  const code = 'code' in error ? String(error.code) : '';
  const [ofPort, ofHost] = [PORT_PROBLEMS[code], HOST_PROBLEMS[code]];
  const problem =
    ofPort !== undefined
      ? `${names.port}\n    given ${host}:${port}, but ${ofPort}; accepted is a free port, or 0 for any free one`
      : `${names.host}\n    given ${JSON.stringify(host)}, but ${ofHost}; accepted is an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them`;
  return ofPort === undefined && ofHost === undefined ? error : new ConfigError(problem, { cause: error });
}

/** A wildcard is where to listen, not where to knock. */
function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${name}:${port}`;
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const idleCheck = setInterval(() => server.closeIdleConnections(), 50);
  const limit = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(idleCheck);
  clearTimeout(limit);
}
