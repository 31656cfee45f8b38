import { exactValue, roundedValue } from '../../domain/books/fiat-report.js';
import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { getEntry, listEntries } from '../../records/books/list-entries.js';
import { maximumTake } from '../../records/database/paging.js';
import type { Page } from '../page.js';
import { entryBadge, entryId, lineOf, recordOf } from '../view/entry-rows.js';
import { sourceLink } from '../view/record-words.js';
import { facts, type Section, table, withQuery } from '../view/sections.js';
import {
  amount,
  badge,
  counted,
  id,
  link,
  list,
  none,
  oneLine,
  quiet,
  stack,
  text,
  time,
  type Value,
  words,
} from '../view/values.js';

export const ledgerEntry: Page = {
  path: '/ledger/:id',
  title: 'Entry',
  load: async ({ db }, req) => {
    const entry = await getEntry(db, req.params['id'] ?? '');
    if (entry === null) return null;
    const { recordKind, recordId } = entry;
    const { items } = await listEntries(db, { recordKind, recordId, take: maximumTake });
    const same = items.filter(({ key }) => key === entry.key).reverse();
    return {
      title: `Entry ${entry.id}`,
      badges: [entryBadge(entry.type)],
      intro: entry.description,
      crumbs: [{ text: 'Ledger', href: '/ledger' }],
      sections: [
        factsOf(entry, { same, others: items.length - same.length }),
        linesOf(entry),
        ...(same.length > 1 ? [historyOf(entry, same)] : []),
      ],
    };
  },
};

function factsOf(entry: EntryView, { same, others }: { same: readonly EntryView[]; others: number }): Section {
  const { recordKind, recordId, sources, observedBy } = entry;
  const later = same.filter(({ corrects, reverses }) => corrects === entry.id || reverses === entry.id);
  const entryLink = (other: string | null) => (other === null ? none() : entryId(other));
  const booked = link(counted(others, 'entry', 'entries'), withQuery('/ledger', { recordKind, recordId }));
  return facts([
    ['Made of', recordOf(recordKind, recordId)],
    ['Comes from', list(sources.map((source) => recordOf(source.kind, source.id)))],
    ['Seen by', observationOf(observedBy)],
    ['Date in the books', text(entry.date)],
    ['Belongs to', text(entry.adjusts === null ? entry.month : `${entry.adjusts}, which was closed`)],
    ['Happened', time(entry.at)],
    ['Dated by', text(words(entry.datedBy))],
    ['Posted', time(entry.postedAt)],
    ['Takes back', entryLink(entry.reverses)],
    [entry.type === 'change' ? 'Follows' : 'Corrects', entryLink(entry.corrects)],
    ['Followed by', list(later.map((other) => entryId(other.id)))],
    ['Else booked of it', others === 0 ? none('nothing') : booked],
  ]);
}

/** The poll, or the event, that showed the record so. */
function observationOf(observed: EntryView['observedBy']): Value {
  if (observed === null) return none('no record: it was not observed');
  return list([sourceLink(observed) ?? text(`${words(observed.type)} ${observed.ref}`), time(observed.at)]);
}

function linesOf({ lines }: EntryView): Section {
  return table(lines, {
    caption: 'Lines: a positive amount is a debit, and those of an asset add up to zero',
    columns: [
      ['Account', ({ account, memo }) => (memo ? list([text(account), badge('memo')]) : text(account))],
      ['Amount', (line) => amount(line.amount, line.assetCode), 'end'],
      ['Rate', ({ rate, rateCurrency }) => amount(rate, rateCurrency), 'end'],
      ['Worth', worthOf, 'end'],
      [
        'Rate known from',
        ({ rateSource, rateAt, unpriced }) =>
          rateSource === null ? quiet(unpriced ?? 'never valued') : list([text(rateSource), time(rateAt)]),
      ],
    ],
    empty: ['No lines', 'An entry without lines can’t be posted.'],
  });
}

function worthOf({ amount: sum, rate, rateCurrency }: EntryLineView): Value {
  return rate === null ? none('not priced') : amount(roundedValue(exactValue(sum, rate)), rateCurrency);
}

function historyOf(entry: EntryView, same: readonly EntryView[]): Section {
  return table(same, {
    caption: 'How it came to be: nothing is changed, each of these follows the one before',
    columns: [
      ['Entry', (one) => (one.id === entry.id ? list([id(one.id), quiet('this one')]) : entryId(one.id))],
      ['Type', ({ type }) => entryBadge(type)],
      ['Date', ({ date }) => oneLine(date)],
      ['Lines', ({ lines }) => stack(lines.map(lineOf)), 'wide'],
      ['Posted', ({ postedAt }) => time(postedAt)],
    ],
  });
}
