import type { Knex } from 'knex';
import { ageOn } from '../domain/books/match/ageing.js';
import { factsAsOf } from '../domain/books/match/facts-as-of.js';
import type { MatchFacts } from '../domain/books/match/match-facts.js';
import { matchOrder } from '../domain/books/match/match-order.js';
import type { MatchTotals, MatchView } from '../domain/books/match/match-shapes.js';
import { matchTotals } from '../domain/books/match/totals.js';
import { dayIn } from '../domain/books/posting-month.js';
import { type MatchFilters, unitsOpenedBy } from '../records/books/match/list-matches.js';
import { loadMatchFacts } from '../records/books/match/load-match-facts.js';
import type { MatchSettings } from '../records/books/match/match-progress.js';
import { oneMoment } from './posting-deps.js';

interface AsOf extends MatchSettings {
  /** YYYY-MM-DD, a day of the books' zone. */
  day: string;
  filters: MatchFilters;
  most: number;
}

/** The match as it was on a day, as far as is known now: computed anew from what is dated until then. Items by their names. */
export async function matchAsOf(
  db: Knex,
  { day, filters, most, ...settings }: AsOf,
): Promise<{ summary: MatchTotals; items: MatchView[]; left: number }> {
  return db.transaction(async (trx) => {
    const totals = matchTotals();
    const items: MatchView[] = [];
    let left = 0;
    for await (const units of unitsOpenedBy(trx, day)) {
      for (const facts of (await loadMatchFacts(trx, units, settings)).values()) {
        const view = viewOn(facts, day, settings.timeZone);
        if (view === null) continue;
        const place = { state: view.state, age: view.age, matches: 1 };
        totals.count(place);
        for (const amount of view.amounts) totals.add({ ...place, amount });
        if (!fits(view, filters)) continue;
        if (items.length < most) items.push(view);
        else left += 1;
      }
    }
    return { summary: totals.report(), items, left };
  }, oneMoment);
}

function viewOn(facts: MatchFacts, day: string, timeZone: string): MatchView | null {
  const then = factsAsOf(facts, day, timeZone);
  if (then === null) return null;
  const { state, reasons, amounts } = matchOrder(then);
  const openedOn = dayIn(timeZone, then.openedAt);
  const { kind, id } = then;
  const openedAt = new Date(then.openedAt).toISOString();
  return { kind, id, state, reasons: [...reasons], amounts, openedAt, openedOn, age: ageOn(day, openedOn) };
}

function fits(view: MatchView, { state, open, age, assetCode, reason }: MatchFilters): boolean {
  return (
    (state === undefined || view.state === state) &&
    !(open && view.state === 'matched') &&
    (age === undefined || view.age === age) &&
    (assetCode === undefined || view.amounts.some(({ code }) => code === assetCode)) &&
    (reason === undefined || view.reasons[0]?.code === reason)
  );
}
