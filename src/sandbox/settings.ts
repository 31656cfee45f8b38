/** What stays as it is while a sandbox runs. Everything has a default. */
export interface SandboxSettings {
  /** The same seed and the same calls give the same ids, secrets, amounts, addresses and faults. */
  seed: number;
  /** It has nothing that the specification does not show: no list of payouts, and no field beyond section 2. */
  strict: boolean;
  /** How many past payments there are, over the two years before the start. */
  payments: number;
  /** How many invoices the past has, those that past payments came from among them. */
  invoices: number;
  /** How many payouts the past has, refunds among them; what disputes gave back is always there, unless it is 0. */
  payouts: number;
  /** How many sub-wallets there are from before the start. */
  wallets: number;
  /** How many past rows the feed of these sub-wallets has. */
  movements: number;
  /** Time between two blocks; 0 settles a payment within the call that pays it. */
  confirmationSeconds: number;
  /** Time until compliance has a result for a payin; 0: at once. */
  kytSeconds: number;
  /** How long a payment may be paid. */
  expirySeconds: number;
  /** How far the received amount may lie beside the expected one, in hundredths of a percent. */
  toleranceBasisPoints: number;
  /** How far the market moves the rate of a coin from one minute to the next, in hundredths of a percent; 0: not at all. */
  rateSwingBasisPoints: number;
  /** Time between two steps of a payout that goes its way by itself; 0: the dashboard takes each step. */
  payoutStepSeconds: number;
  /** Time until a new settlement account may be settled to automatically. */
  maturationSeconds: number;
  /** Waits before the second, third, … attempt of a delivery, in seconds of the sandbox's clock. */
  retrySchedule: readonly number[];
  deliveryTimeoutMs: number;
  /** Deliveries on their way at once to one endpoint. */
  deliveryConcurrency: number;
  /** Older deliveries leave the history. */
  keepDeliveries: number;
  /** The real clock under the sandbox's own. */
  realNow: () => number;
}

export const DEFAULT_SETTINGS: SandboxSettings = {
  seed: 1,
  strict: false,
  payments: 0,
  invoices: 0,
  payouts: 0,
  wallets: 0,
  movements: 0,
  confirmationSeconds: 1,
  kytSeconds: 1,
  expirySeconds: 3600,
  toleranceBasisPoints: 50,
  rateSwingBasisPoints: 150,
  payoutStepSeconds: 0,
  maturationSeconds: 86_400,
  retrySchedule: [5, 30, 120, 600, 3600],
  deliveryTimeoutMs: 10_000,
  deliveryConcurrency: 32,
  keepDeliveries: 200_000,
  realNow: Date.now,
};
