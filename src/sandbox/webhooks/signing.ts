import { createHmac } from 'node:crypto';

/** The value of X-Service-Signature over the raw body; the whole secret, prefix included, is the key (specification 6.3). */
export function signatureOf(body: Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
