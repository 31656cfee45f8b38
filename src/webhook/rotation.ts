import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { secretEvidence } from '../records/secrets.js';
import type { SigningSecret } from './match-signature.js';

/** `retired`: no receiver accepts it. `undetermined`: nothing proves yet that it could be retired. */
type SecretVerdict = 'retired' | 'undetermined';

export interface SecretStatus {
  label: string;
  /** Tells secrets apart without showing them. */
  fingerprint: string;
  firstMatchAt: string | null;
  lastMatchAt: string | null;
  matches24h: number;
  /** The endpoint it belongs to; null while that is not known. */
  endpointId: string | null;
  verdict: SecretVerdict;
}

/** The evidence for a rotation, for each configured secret and in that order (interface: "secrets status"). */
export async function secretsStatus(
  db: Knex,
  configured: readonly SigningSecret[],
  now = new Date(),
): Promise<{ items: SecretStatus[] }> {
  const evidence = await secretEvidence(db, now);
  const items = configured.map(({ label, secret }): SecretStatus => {
    const fingerprint = fingerprintOf(secret);
    const known = evidence.get(label);
    // What another secret of the same name did says nothing of this one.
    const own = known?.fingerprint === fingerprint ? known : undefined;
    return {
      label,
      fingerprint,
      firstMatchAt: own?.firstMatchAt?.toISOString() ?? null,
      lastMatchAt: own?.lastMatchAt?.toISOString() ?? null,
      matches24h: own?.matches24h ?? 0,
      endpointId: own?.endpointId ?? null,
      verdict: known?.retiredAt ? 'retired' : 'undetermined',
    };
  });
  return { items };
}

export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}
