import type { ServerResponse } from 'node:http';

/** What a request to the receiver is answered with (interface: "Receiver"). */
export interface Answer {
  status: 200 | 400 | 401 | 404 | 405 | 413 | 415 | 503;
  /** The label of the metrics. */
  result: string;
  body: object;
  headers?: Record<string, string>;
}

/** The event is not stored; the service should send it again. The only 5xx there is. */
export function unavailable(result: string, detail: string): Answer {
  return { status: 503, result, body: { error: 'unavailable', detail }, headers: { 'Retry-After': '5' } };
}

export function sendAnswer(res: ServerResponse, { status, body, headers }: Omit<Answer, 'result'>): void {
  if (res.headersSent || res.destroyed) return;
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  res.end(text);
}
