import { createHash } from 'node:crypto';

/** Distinguishes secrets without showing them. */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}
