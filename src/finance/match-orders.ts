import type { Knex } from 'knex';
import { matchOrder } from '../domain/books/match/match-order.js';
import { dayIn } from '../domain/books/posting-month.js';
import { loadMatchFacts } from '../records/books/match/load-match-facts.js';
import { distinctUnits, heldBy, type MatchUnit, unitKey } from '../records/books/match/match-owners.js';
import { type MatchSettings, readMatchProgress, saveMatchProgress } from '../records/books/match/match-progress.js';
import { type NewMatch, saveMatches } from '../records/books/match/save-matches.js';
import { nextTouchedUnits } from '../records/books/match/touched-units.js';
import { lockBooks } from '../records/books/posting-progress.js';
import type { Trx } from '../records/database/statements.js';
import { oneMoment } from './posting-deps.js';

interface Matched {
  changed: number;
  /** It did not come to the end of what is posted. */
  more: boolean;
}

/** Brings the match up to date, each slice with its place in one transaction; `slices`: at most so many, as posting waits for each. */
export async function matchOrders(
  deps: MatchSettings & { db: Knex },
  { signal, slices = Number.POSITIVE_INFINITY }: { signal?: AbortSignal; slices?: number } = {},
): Promise<Matched> {
  const matched = { changed: 0, more: true };
  for (let done = 0; matched.more && done < slices; done += 1) {
    if (signal?.aborted) break;
    const slice = await deps.db.transaction((trx) => matchSlice(trx, deps), oneMoment);
    matched.changed += slice.changed;
    matched.more = slice.more;
  }
  return matched;
}

async function matchSlice(trx: Trx, settings: MatchSettings): Promise<Matched> {
  await lockBooks(trx);
  const progress = await readMatchProgress(trx, settings);
  if (progress === null) return { changed: 0, more: false };
  const { units, seq, rateId, more } = await nextTouchedUnits(trx, progress);
  const changed = await saveMatches(trx, await matchUnits(trx, units, settings));
  await saveMatchProgress(trx, seq, rateId);
  return { changed, more };
}

/** With those, too, that payments of these are counted with as yet, so that none is ever counted with two. */
async function matchUnits(trx: Trx, touched: readonly MatchUnit[], settings: MatchSettings): Promise<NewMatch[]> {
  const found = new Map<string, NewMatch>();
  let units = [...touched];
  while (units.length > 0) {
    const facts = await loadMatchFacts(trx, units, settings);
    for (const unit of units) {
      const own = facts.get(unitKey(unit));
      const openedAt = own?.openedAt ?? 0;
      found.set(unitKey(unit), {
        unit,
        match: own === undefined ? null : matchOrder(own),
        openedAt,
        openedOn: dayIn(settings.timeZone, openedAt),
        payments: own?.order.intents.map(({ id }) => id) ?? [],
      });
    }
    const all = [...facts.values()];
    const invoices = all.flatMap(({ kind, order }) =>
      kind === 'order' ? order.invoices.map(({ id }): MatchUnit => ({ kind: 'invoice', id })) : [],
    );
    const holders = await heldBy(
      trx,
      all.flatMap(({ order }) => order.intents.map(({ id }) => id)),
    );
    units = distinctUnits([...invoices, ...holders]).filter((unit) => !found.has(unitKey(unit)));
  }
  return [...found.values()];
}
