import type { OpenCall } from './order-facts.js';

type Call = Pick<OpenCall, 'key' | 'undecided'>;

/** What is known of a refund call of our own without a known end, and what ends it; `payout`: what it may have made. */
export function ownCallWords({ key, undecided }: Call, payout: string | null): string {
  if (!undecided)
    return 'its answer did not come yet: the scheduler finds out within ten minutes what came of it, or a person says so';
  const settle = `tallyhook calls settle ${key} --note WHY --as`;
  return `nobody knows what came of it: ${settle} done:${payout ?? 'PAYOUT'}, or ${settle} not_done`;
}

/** Of a payout that may give money back and that no payment owns: why, and what ends it. */
export function unlinkedWords(payout: string, call: Call | null): string {
  if (call !== null) return `our own call ${call.key} may have made it, and ${ownCallWords(call, payout)}`;
  return `nothing says of which payment: tallyhook refunds assign ${payout} --note WHY --payment PI, or --payment none`;
}
