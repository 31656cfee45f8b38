import type { SecretLeak } from './secret-leak.js';
import type { SecretVerdict } from './secret-verdict.js';

/** A configured secret with its evidence for a rotation; never the secret. Times are ISO 8601 UTC. */
export interface SecretStatus extends SecretLeak {
  label: string;
  /** Distinguishes secrets without showing them. */
  fingerprint: string;
  firstMatchAt: string | null;
  lastMatchAt: string | null;
  matches24h: number;
  /** The endpoint it belongs to; null while that is not known. */
  endpointId: string | null;
  verdict: SecretVerdict;
  /** What speaks against retiring it, or is not known. */
  missing: string[];
  /** The secret that takes its place. */
  successor: string | null;
  /** Events of the time in which both were in use: under which they came. Null: there is no such time. */
  overlap: { both: number; onlyThis: number } | null;
  retiredAt: string | null;
  /** What a person does next, with the step of docs/rotate-secrets.md. */
  next: string;
}

/** Whether a person may retire it: without the verdict only by force. `already`: it is retired. */
export function retirement(
  { verdict }: Pick<SecretStatus, 'verdict'>,
  force: boolean,
): 'allowed' | 'already' | 'refused' {
  if (verdict === 'retired') return 'already';
  return verdict === 'may_be_retired' || force ? 'allowed' : 'refused';
}
