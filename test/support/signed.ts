import { createHmac } from 'node:crypto';

export const SECRET = 'whsec_live_5f1c2d';
export const OTHER_SECRET = 'whsec_new_77aa01';
export const secrets = [
  { label: 'live', secret: SECRET },
  { label: 'new', secret: OTHER_SECRET },
];
/** Unix seconds. */
export const NOW = 1_790_000_000;

export function sign(body: string | Buffer, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** An event body of the form of specification 6.1. */
export function eventBody(id: string, changes: Record<string, unknown> = {}): string {
  return JSON.stringify({ event: 'payment_intent.completed', timestamp: NOW, data: { id }, ...changes });
}

/** The headers that the service sends with the body. */
export function signedHeaders(body: string | Buffer, secret = SECRET): Record<string, string> {
  return { 'x-service-signature': sign(body, secret), 'content-type': 'application/json' };
}
