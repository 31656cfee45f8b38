import type { OpenCall } from '../family/own-refunds.js';

type Call = Pick<OpenCall, 'key' | 'undecided'>;

/** What is known of a refund call of our own without a known end, and what ends it; `payout`: what it may have made. */
export function ownCallWords({ key, undecided }: Call, payout: string | null): string {
  if (undecided)
    return `nobody knows what came of it: tallyhook calls settle ${key} --note WHY --as done:${payout ?? 'PAYOUT'}, or not_done`;
  return 'its answer did not come yet: the scheduler finds out within ten minutes what came of it, or a person says so';
}

/** Of a payout that may give money back and that no payment owns: why, and what ends it. */
export function unlinkedWords(payout: string, call: Call | null): string {
  if (call !== null) return `our own call ${call.key} may have made it; ${ownCallWords(call, payout)}`;
  return `nothing says of which payment: tallyhook refunds assign ${payout} --note WHY --payment PI, or none`;
}

/** Of a secret under which refunds were reported that the service denied (`passedOver`). */
export function passedOverWords({ secret, denied }: { secret: string; denied: number }): string {
  return `${denied} refunds of it that webhooks under the secret "${secret}" reported within three hours are none of the service's: further ones are polled, and hold the order no more while the delivery history is read. Retire the secret if it leaked`;
}
