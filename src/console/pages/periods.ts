import { listPeriods } from '../../records/books/periods.js';
import type { Page } from '../page.js';
import { periodHref } from '../view/links.js';
import { listTable } from '../view/sections.js';
import { badge, count, link, none, text, time, type Value } from '../view/values.js';

export const periods: Page = {
  path: '/periods',
  title: 'Periods',
  group: 'Books',
  load: async ({ db, now }, req) => ({
    intro: 'The months of the books. A closed one never changes: what changes later stands in the next.',
    sections: [
      listTable(req, await listPeriods(db, { cursor: req.cursor }), {
        caption: 'Months, newest first',
        columns: [
          ['Month', ({ month }) => link(month, periodHref(month))],
          ['State', ({ status }) => periodBadge(status)],
          ['Entries', ({ entries }) => count(entries), 'end'],
          ['Closed', ({ status, closedAt }) => (status === 'open' ? none('open') : time(closedAt, now()))],
          ['By', ({ status, closedBy }) => text(status === 'open' ? null : closedBy)],
          ['Files', ({ files }) => count(files.length === 0 ? null : files.length), 'end'],
          ['Why', ({ reason }) => text(reason)],
        ],
        empty: [
          'Nothing is posted yet',
          'Months appear with their first entry: once a balance was read, and what moved it.',
        ],
      }),
    ],
  }),
};

export function periodBadge(status: 'open' | 'closed'): Value {
  return badge(status, status === 'closed' ? 'good' : 'info');
}
