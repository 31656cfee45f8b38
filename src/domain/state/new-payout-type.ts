import type { Found } from '../alerts/condition.js';
import type { AlertFacts } from '../alerts/facts.js';
import { breakWords } from '../alerts/record-conditions.js';
import { classifyTypes, isOfNewTypes } from '../alerts/unproven-words.js';
import { breakWordsOf } from '../breaks/breaks.js';
import type { OpenBreaks } from '../breaks/money-once.js';
import { counted, named } from '../in-words.js';

/** Before the type in the id of its break. */
export const NAMED_TYPE = 'payoutType=';

/** The type that a break of one is about; null: it is about something else. */
export function newTypeOf({ kind, entity }: { kind: string; entity: { id: string } }): string | null {
  return kind === 'contract_violation' && entity.id.startsWith(NAMED_TYPE) ? entity.id.slice(NAMED_TYPE.length) : null;
}

export function newTypeWords(
  types: readonly string[],
  { count, money }: AlertFacts['newPayouts'],
): { detail: string; remedy: string } {
  const sums = money.map(({ amount, currency }) => `${amount} ${currency}`);
  const much = count === 0 ? '' : ` ${counted(count, 'payout')} so far: ${named(sums)}.`;
  const quoted = named(types.map((type) => `“${type}”`));
  return {
    detail: `No class of the contract has the payout type ${quoted}: what such a payout moved is not known.${much}`,
    remedy: classifyTypes(types),
  };
}

/** What is said of breaks that no alert is about. */
export function openBreakWords(one: OpenBreaks, { newPayoutTypes: types, newPayouts }: AlertFacts): Found {
  const found = { ...breakWords(one), remedy: breakWordsOf(one.kind).remedy };
  if (one.kind !== 'contract_violation' || types.length === 0 || types.length !== one.count) return found;
  const quoted = named(types.map((type) => `“${type}”`));
  return { ...found, title: `${found.title}, payout type ${quoted}`, ...newTypeWords(types, newPayouts) };
}

/** What comes of it that nobody knows what a payout of that type moved: of a balance, of the run that reads them, of what is left over. */
export function followsFromTypes(
  { name, subject }: { name: string; subject: string },
  { newPayoutTypes, newPayouts, balances: { unproven }, kinds }: AlertFacts,
): boolean {
  if (newPayoutTypes.length === 0) return false;
  if (subject === 'balance_residual') {
    const unexplained = unproven.filter((one) => one.isUnexplained);
    return unexplained.length > 0 && unexplained.every((one) => one.isOfNewType);
  }
  if (name === 'BalanceUnproven') return unproven.some((one) => one.assetCode === subject && one.isOfNewType);
  return kinds.some((of) => of.kind === subject && isOfNewTypes(of, { newPayoutTypes, newPayouts }));
}
