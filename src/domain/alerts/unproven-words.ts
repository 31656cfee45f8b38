import { isOfNewType } from '../balances/movements.js';
import { named } from '../in-words.js';
import { MOVED } from '../run-kinds.js';
import type { AlertFacts, KindFacts } from './facts.js';

type NewTypes = Pick<AlertFacts, 'newPayoutTypes' | 'newPayouts'>;

/** Whether nobody can prove the kind because nobody knows what payouts of a new type moved. */
export function isOfNewTypes({ kind, reason }: KindFacts, { newPayoutTypes, newPayouts }: NewTypes): boolean {
  const taken = newPayouts.money.map(({ currency }) => currency);
  return newPayoutTypes.length > 0 && kind === 'balances' && isOfNewType(reason, taken);
}

/** What to do about a type of payouts that no class of the contract has. */
export function classifyTypes(types: readonly string[]): string {
  const quoted = named(types.map((type) => `“${type}”`));
  return `Find out what it is, then put ${quoted} into a class of movements.words.payoutType (CONTRACT_FILE) and start Tallyhook again. The break ends within a day, or with “tallyhook reconcile payouts --full”.`;
}

const HELD = 'Orders that only webhooks reported stay held until then.';
export const SEE_RUNS = `The page Runs says why. ${HELD}`;

/** What to do about a kind of which no run has been complete for too long: by why the newest was not. */
export function unprovenRemedy(of: KindFacts, facts: NewTypes): string {
  const { kind, reason } = of;
  if (isOfNewTypes(of, facts))
    return `It follows from the payout type ${named(facts.newPayoutTypes.map((type) => `“${type}”`))}. ${classifyTypes(facts.newPayoutTypes)}`;
  if (reason === null) return `See that “tallyhook schedule” runs, and what its log says. ${HELD}`;
  if (/\bservice_[a-z_]+: /.test(reason))
    return `The page Runs says why its runs fail: the key, the rate or the service. ${HELD}`;
  if (kind === 'balances' && reason.includes(MOVED))
    return 'Nothing failed: what moves is read again with each run. The page Balances says of each what it waits for.';
  return SEE_RUNS;
}
