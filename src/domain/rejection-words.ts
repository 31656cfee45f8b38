export interface RejectionWords {
  means: string;
  remedy: string;
  /** Its signature was right. */
  isAuthentic?: true;
}

/** A likely cause that ends with it is none yet. */
export const UNEXPLAINED =
  'No usual mistake explains it: compare the secrets with those of the endpoint (test or live? a newer endpoint?), and look for a proxy that changes the body.';

/** By the reason that the receiver gives. A signature that does not match has causes of many sorts: each sample names its own. */
export const rejectionWords: Readonly<Record<string, RejectionWords>> = {
  missing_signature: {
    means: 'The request had no signature.',
    remedy:
      'A reverse proxy may strip the header X-Service-Signature: let it pass. Otherwise the sender is not the service.',
  },
  malformed_signature: {
    means: 'The signature was there twice, or is none.',
    remedy:
      'The header must come once, as "sha256=<hex>": look for a proxy that adds or joins headers, or another sender.',
  },
  invalid_signature: {
    means: 'None of the accepted secrets made this signature.',
    remedy:
      'Compare the secrets with those of the endpoint (test or live? a newer endpoint?), and look for a proxy that changes the body.',
  },
  invalid_body: {
    means: 'The body is no event.',
    remedy: 'The signature is right, so the service sent exactly this: look at the sender.',
    isAuthentic: true,
  },
  missing_timestamp: {
    means: 'The body has no time, or none that is a number.',
    remedy: 'The signature is right, so the service sent exactly this: look at the sender.',
    isAuthentic: true,
  },
  expired_timestamp: {
    means: 'The event is authentic, and too old or from the future.',
    remedy:
      "Compare this machine's clock with the service's. A late retry is no loss: the record it names is read from the service.",
    isAuthentic: true,
  },
  too_large: {
    means: 'The body is larger than WEBHOOK_BODY_LIMIT.',
    remedy: 'The service sends nothing that large: it is another sender. If it does, raise WEBHOOK_BODY_LIMIT.',
  },
  unsupported_encoding: {
    means: 'The body was compressed.',
    remedy: 'The service does not compress: look for a proxy that does, or another sender.',
  },
};

export const rejectionReasons: readonly string[] = Object.keys(rejectionWords);
