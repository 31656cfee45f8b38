import { recordKinds, recordRules } from '../domain/records.js';

/** The types that the specification names (6.2), and those of the same pattern that name a listed state. */
const known = new Set([
  ...recordKinds.flatMap((kind) => [...recordRules[kind].main.ranks.keys()].map((state) => `${kind}.${state}`)),
  'payout.failed',
  'wallet_account.deposit.completed',
  'wallet_account.transfer.completed',
]);

/** An event's type as a label of a metric: whoever sends events can't make up ever new ones. */
export function eventLabel(type: string): string {
  return known.has(type) ? type : 'other';
}
