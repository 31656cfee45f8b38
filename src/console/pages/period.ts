import type { Missing, PeriodView } from '../../domain/views/books-shapes.js';
import { checkPeriod } from '../../finance/periods/check-period.js';
import { getPeriod } from '../../records/books/periods.js';
import { closeNeverthelessAction, closePeriodAction, reopenPeriodAction } from '../actions/close-period.js';
import type { Page, PageRequest } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { inPath, periodHref } from '../view/links.js';
import { type CloseCheck, closeChecks, missingHref, periodBadge } from '../view/period-words.js';
import type { ActionButton, Section } from '../view/sections.js';
import { badge, count, counted, id, link, list, none, quiet, text, time, type Value } from '../view/values.js';

export const period: Page = {
  path: '/periods/:month',
  title: 'Period',
  load: async (deps, req) => {
    const found = await getPeriod(deps.db, req.params['month'] ?? '');
    if (found === null) return null;
    const { month, status } = found;
    const missing = status === 'open' ? await missingOf(deps, month) : null;
    return {
      title: month,
      badges: [periodBadge(status)],
      crumbs: [{ text: 'Periods', href: '/periods' }],
      actions: buttonsOf(found, missing, req),
      sections: [
        ...(status === 'open' ? checklist(missing) : [filesOf(found)]),
        { is: 'panel', title: 'The month', sections: [{ is: 'facts', facts: factsOf(found, deps.now()) }] },
      ],
    };
  },
};

/** Null where it is not known here. */
async function missingOf({ db, books, now }: PageDeps, month: string): Promise<Missing[] | null> {
  if (books === undefined) return null;
  return (await checkPeriod(db, month, { ...books, now: now() })).missing;
}

function buttonsOf(
  { month, status }: PeriodView,
  missing: Missing[] | null,
  req: PageRequest,
): (ActionButton | null)[] {
  if (status === 'closed') return [req.button(reopenPeriodAction, { month })];
  if (missing === null || missing.some(({ byReason }) => !byReason)) return [];
  return [req.button(missing.length === 0 ? closePeriodAction : closeNeverthelessAction, { month })];
}

function checklist(missing: Missing[] | null): Section[] {
  if (missing === null) {
    const text = 'This process does not know the zone of the books: what is missing is not shown here.';
    return [{ is: 'notice', tone: 'quiet', title: 'It can’t be closed here', text }];
  }
  const never = missing.some(({ byReason }) => !byReason);
  return [
    verdict(missing.length, never),
    {
      is: 'table',
      caption: 'Before it is closed',
      showCaption: true,
      columns: [{ label: 'Check' }, { label: 'State' }, { label: 'What is missing' }],
      rows: closeChecks.map((check) => rowOf(check, missing)),
      empty: { title: 'Nothing is checked', text: '' },
    },
  ];
}

function verdict(missing: number, never: boolean): Section {
  if (missing === 0) {
    const text = 'All that the books are made of was read and proven to the month’s end.';
    return { is: 'notice', tone: 'good', title: 'Nothing is missing: it may be closed', text };
  }
  const title = `${counted(missing, 'thing')} ${missing === 1 ? 'is' : 'are'} missing`;
  if (never) return { is: 'notice', tone: 'warn', title, text: 'It can’t be closed yet, whatever the reason.' };
  return { is: 'notice', tone: 'warn', title, text: 'Finance may close it nevertheless, with a reason that is kept.' };
}

/** So many of one check are shown. */
const SHOWN = 20;

function rowOf({ title, what, next }: CloseCheck, missing: readonly Missing[]): Value[] {
  const own = missing.filter((one) => what.includes(one.what));
  if (own.length === 0) return [text(title), badge('holds', 'good'), none('nothing')];
  const reasons = own.slice(0, SHOWN).map((one) => {
    const href = missingHref(one);
    return href === null ? text(one.told) : link(one.told, href);
  });
  const more = own.length > SHOWN ? [text(`… and ${own.length - SHOWN} more`)] : [];
  const tone = own.some(({ byReason }) => !byReason) ? 'bad' : 'warn';
  return [list([text(title), quiet(next)]), badge('missing', tone), list([...reasons, ...more])];
}

function filesOf({ month, files }: PeriodView): Section {
  return {
    is: 'table',
    caption: 'Its files, as they were stored when it was closed',
    showCaption: true,
    columns: [{ label: 'File' }, { label: 'Format' }, { label: 'Bytes', align: 'end' }, { label: 'SHA-256' }],
    rows: files.map(({ name, format, bytes, sha256 }) => [
      link(name, `${periodHref(month)}/files/${inPath(name)}`),
      text(format),
      count(bytes),
      id(sha256),
    ]),
    empty: { title: 'No files are stored', text: 'They are stored when the month is closed.' },
  };
}

function factsOf(found: PeriodView, now: Date): (readonly [string, Value])[] {
  const { entries, closings, closedAt, closedBy, reason, reopenedAt, reopenedBy } = found;
  return [
    ['Entries', count(entries)],
    ['Closed so far', text(counted(closings, 'time'))],
    ['Last closed', closedAt === null ? none('never') : list([time(closedAt, now), text(closedBy ?? '')])],
    ['Last reopened', reopenedAt === null ? none('never') : list([time(reopenedAt, now), text(reopenedBy ?? '')])],
    ['Reason', reason === null ? none(closings === 0 ? '–' : 'none was needed') : text(reason)],
  ];
}
