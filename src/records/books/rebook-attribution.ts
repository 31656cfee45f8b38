import type { Knex } from 'knex';
import type { ContraAccount } from '../../domain/books/chart.js';
import { dayIn, isDay, type Period, periodOf } from '../../domain/books/posting-month.js';
import { type Approval, recordAction } from '../actions/record-action.js';
import { listAttributions } from '../balances/balance-views.js';
import { columnOf } from '../database/statements.js';
import { closedMonths, lockBooks } from './posting-progress.js';

/** What finance says of an attribution that stands on the wrong account. */
export interface NewRebooking {
  assetCode: string;
  attribution: string;
  /** On which it stands, so that nobody rebooks what another person has just rebooked. */
  from: ContraAccount;
  contra: ContraAccount;
  /** YYYY-MM-DD of the books, on which reversal and correction are booked. */
  on: string;
  note: string;
  actor: string;
  approval?: Approval;
}

export type RebookResult =
  | { outcome: 'done'; step: number; amount: string; period: Period }
  | { outcome: 'not_found' }
  /** In a sentence. */
  | { outcome: 'refused'; why: string };

/** Moves the whole of an attribution to another account, and leaves the balance as it is. */
export async function rebookAttribution(
  db: Knex,
  given: NewRebooking,
  { timeZone, now }: { timeZone: string; now: Date },
): Promise<RebookResult> {
  return db.transaction(async (trx): Promise<RebookResult> => {
    // One after the other, and no month is closed meanwhile.
    await lockBooks(trx);
    const { assetCode, attribution, from, contra, on, note, actor, approval } = given;
    const found = (await listAttributions(trx, assetCode)).find(({ id }) => id === attribution);
    if (found === undefined) return { outcome: 'not_found' };
    const { amount, standsOn, rebookings, at, bookedOn } = found;
    const day = bookedOn ?? dayIn(timeZone, Date.parse(at));
    const step = rebookings.length + 1;
    const target = `balance ${assetCode}`;
    const about = { actor, action: 'rebook attribution', target, reason: note, approval };
    const details = { attribution, from, contra, on };
    const since = rebookings.at(-1)?.bookedOn ?? day;
    const why = whyNotRebooked(given, { standsOn, since, today: dayIn(timeZone, now.getTime()) });
    if (why !== null) {
      await recordAction(trx, { ...about, details: { ...details, why }, outcome: 'refused' });
      return { outcome: 'refused', why };
    }
    const row = { attribution_id: attribution, step, contra, note, actor, booked_on: on };
    const [made] = (await trx('attribution_rebookings').insert(row, 'id')) as { id: string }[];
    const id = String(made?.id);
    const [after = null] = await columnOf<string | null>(trx)`
      SELECT max(date)::text FROM entries WHERE record_kind = 'attribution' AND record_id = ${attribution}`;
    const period = periodOf(day, await closedMonths(trx), { bookedOn: on, after });
    const { adjusts } = period;
    const said = { ...details, amount, step, rebooking: id, ...(adjusts === null ? {} : { adjusts }) };
    await recordAction(trx, { ...about, details: said, outcome: 'done' });
    return { outcome: 'done', step, amount, period };
  });
}

/** Null: it can be. `since`: the day from which on it stands where it does. */
function whyNotRebooked(
  { attribution, from, contra, on }: NewRebooking,
  { standsOn, since, today }: { standsOn: string; since: string; today: string },
): string | null {
  if (standsOn !== from) return `attribution ${attribution} stands on ${standsOn}, not on ${from}: look at it again`;
  if (contra === from) return `attribution ${attribution} stands on ${contra} already`;
  if (!isDay(on)) return `${on.slice(0, 40)} is no day such as 2026-10-30`;
  if (on > today) return `${on} is yet to come`;
  return on < since ? `it stands there since ${since}: it can’t be taken from there on ${on}` : null;
}
