import type { Knex } from 'knex';

export interface SecretFingerprint {
  label: string;
  fingerprint: string;
  /** ISO 8601 UTC; null: it is in use. */
  retiredAt: string | null;
}

/** Of every secret that ever matched or was retired, by label. */
export async function secretFingerprints(db: Knex): Promise<SecretFingerprint[]> {
  const rows = await db<{ label: string; fingerprint: string; retired_at: Date | null }>('secrets').orderBy('label');
  return rows.map(({ label, fingerprint, retired_at }) => {
    return { label, fingerprint, retiredAt: retired_at?.toISOString() ?? null };
  });
}
