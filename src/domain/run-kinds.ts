/** The kinds that can be reconciled, as the command line and the run rows name them, and when each is by default. */
export const defaultCrons = {
  'payment-intents': '*/5 * * * *',
  invoices: '*/10 * * * *',
  payouts: '*/5 * * * *',
  accounts: '*/30 * * * *',
  transactions: '*/10 * * * *',
  balances: '*/15 * * * *',
  deliveries: '*/5 * * * *',
  // One call; an endpoint that is switched off is an alert within five minutes.
  endpoints: '*/2 * * * *',
  catalog: '0 * * * *',
} as const;

export type RunKind = keyof typeof defaultCrons;
export const runKinds = Object.keys(defaultCrons) as [RunKind, ...RunKind[]];

/** Why a kind is not proven though nothing failed: the next run may prove it. State and alerts know both. */
export const NO_RUN = 'no run has ended yet';
export const MOVED = 'it moved each time that it was read';

/** Why a run did not prove all, as it says itself; null: it does not say. */
export function reasonOf({
  error,
  proof,
}: {
  error: string | null;
  proof: Readonly<Record<string, unknown>>;
}): string | null {
  const { reason } = proof;
  return error ?? (typeof reason === 'string' ? reason : null);
}

/** The service does not offer the poll: nobody can do anything about it. */
export const isNotOffered = (reason: string | null): boolean => reason?.startsWith('degraded: ') ?? false;

/** A kind that is set to this does not run by itself. */
export const CRON_OFF = 'off';
