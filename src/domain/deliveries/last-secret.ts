interface Secret {
  label: string;
  /** Null: it is accepted. */
  retiredAt: string | null;
}

export const NONE_ACCEPTED = 'every secret is retired: no webhook is accepted';

/** The setting that receivers have their secrets from; null: not known here, so both are named. */
export type SecretsFrom = 'WEBHOOK_SECRETS' | 'WEBHOOK_SECRETS_FILE' | null;

/** Where a secret is put in, or taken out, and what it needs to count. */
export function placeOf(from: SecretsFrom): string {
  if (from === null) return 'WEBHOOK_SECRETS_FILE (with WEBHOOK_SECRETS, restart the receivers)';
  return from === 'WEBHOOK_SECRETS'
    ? `${from}, and restart the receivers`
    : `the file of ${from}, which is read again at once`;
}

/** Said of a label that is not among the configured secrets. */
export function noSuchSecret(label: string, from: SecretsFrom): string {
  return `there is no secret “${label}” in ${from ?? 'WEBHOOK_SECRETS or WEBHOOK_SECRETS_FILE'}`;
}

/** What a person does where no webhook is accepted any more. */
export function acceptAgain(label: string, from: SecretsFrom): string {
  return `Put another secret into ${placeOf(from)}; or take it back: tallyhook secrets restore ${label}`;
}

/** What retiring this one comes to, where it is the last that is accepted; null: another one is accepted. */
export function lastAccepted(label: string, all: readonly Secret[], from: SecretsFrom): string | null {
  if (all.some((other) => other.label !== label && other.retiredAt === null)) return null;
  return `NO WEBHOOK IS ACCEPTED without "${label}": it is the last secret that is not retired. ${acceptAgain(label, from)}`;
}

/** Where every configured secret is retired, the one that was retired last; null: one is accepted, or none is configured. */
export function retiredLast(all: readonly Secret[]): string | null {
  const times = all.flatMap(({ retiredAt }) => retiredAt ?? []);
  if (times.length < all.length) return null;
  const last = times.sort().at(-1);
  return all.find(({ retiredAt }) => retiredAt === last)?.label ?? null;
}
