import { exactValue, roundedValue } from '../../domain/books/fiat-report.js';
import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { getEntry, listEntries } from '../../records/books/list-entries.js';
import { isRowId, maximumTake } from '../../records/database/paging.js';
import type { Page } from '../page.js';
import { entryBadge, entryHref, lineOf, recordOf } from '../view/entry-rows.js';
import { eventHref, runHref } from '../view/links.js';
import type { Section } from '../view/sections.js';
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
  const query = new URLSearchParams({ recordKind, recordId }).toString();
  const later = same.filter(({ corrects, reverses }) => corrects === entry.id || reverses === entry.id);
  const entryLink = (other: string | null) => (other === null ? none() : id(other, entryHref(other)));
  return {
    is: 'facts',
    facts: [
      ['Made of', recordOf(recordKind, recordId)],
      ['Comes from', list(sources.map((source) => recordOf(source.kind, source.id)))],
      ['Seen by', observationOf(observedBy)],
      ['Date in the books', text(entry.date)],
      ['Belongs to', entry.adjusts === null ? text(entry.month) : text(`${entry.adjusts}, which was closed`)],
      ['Happened', time(entry.at)],
      ['Dated by', text(words(entry.datedBy))],
      ['Posted', time(entry.postedAt)],
      ['Takes back', entryLink(entry.reverses)],
      [entry.type === 'change' ? 'Follows' : 'Corrects', entryLink(entry.corrects)],
      ['Followed by', list(later.map((other) => id(other.id, entryHref(other.id))))],
      [
        'Else booked of it',
        others === 0 ? none('nothing') : link(counted(others, 'entry', 'entries'), `/ledger?${query}`),
      ],
    ],
  };
}

/** The poll, or the event, that showed the record so. */
function observationOf(observed: EntryView['observedBy']): Value {
  if (observed === null) return none('no record: it was not observed');
  const { type, ref, at } = observed;
  const isRow = isRowId(ref);
  const name = type === 'poll' ? `run ${ref}` : `event ${ref}`;
  const shown = isRow ? link(name, type === 'poll' ? runHref(ref) : eventHref(ref)) : text(`${words(type)} ${ref}`);
  return list([shown, time(at)]);
}

function linesOf({ lines }: EntryView): Section {
  return {
    is: 'table',
    caption: 'Lines: a positive amount is a debit, and those of an asset add up to zero',
    showCaption: true,
    columns: [
      { label: 'Account' },
      { label: 'Amount', align: 'end' },
      { label: 'Rate', align: 'end' },
      { label: 'Worth', align: 'end' },
      { label: 'Rate known from' },
    ],
    rows: lines.map((line) => [
      line.memo ? list([text(line.account), badge('memo')]) : text(line.account),
      amount(line.amount, line.assetCode),
      amount(line.rate, line.rateCurrency),
      worthOf(line),
      line.rateSource === null
        ? quiet(line.unpriced ?? 'never valued')
        : list([text(line.rateSource), time(line.rateAt)]),
    ]),
    empty: { title: 'No lines', text: 'An entry without lines can’t be posted.' },
  };
}

function worthOf({ amount: sum, rate, rateCurrency }: EntryLineView): Value {
  return rate === null ? none('not priced') : amount(roundedValue(exactValue(sum, rate)), rateCurrency);
}

function historyOf(entry: EntryView, same: readonly EntryView[]): Section {
  return {
    is: 'table',
    caption: 'How it came to be: nothing is changed, each of these follows the one before',
    showCaption: true,
    columns: [
      { label: 'Entry' },
      { label: 'Type' },
      { label: 'Date' },
      { label: 'Lines', wide: true },
      { label: 'Posted' },
    ],
    rows: same.map((one) => [
      one.id === entry.id ? list([id(one.id), quiet('this one')]) : id(one.id, entryHref(one.id)),
      entryBadge(one.type),
      oneLine(one.date),
      stack(one.lines.map(lineOf)),
      time(one.postedAt),
    ]),
    empty: { title: 'Nothing else', text: 'It is the only one.' },
  };
}
