import { Webhook } from 'standardwebhooks';

/**
 * The headers of the Standard Webhooks scheme. The id is the message's, the same at every attempt; the time is the
 * attempt's, which receivers compare with their clock. A secret in base64, with `whsec_` before it or not, is decoded, as
 * the scheme says; any other is the key as it is.
 */
export function signedHeaders(
  secret: string,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signer(secret).sign(id, at, body),
  };
}

function signer(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    return new Webhook(secret, { format: 'raw' });
  }
}
