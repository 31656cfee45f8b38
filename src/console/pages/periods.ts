import { listPeriods } from '../../records/books/periods.js';
import type { Page } from '../page.js';
import { paging, periodHref } from '../view/links.js';
import { periodBadge } from '../view/period-words.js';
import { count, link, none, text, time } from '../view/values.js';

export const periods: Page = {
  path: '/periods',
  title: 'Periods',
  group: 'Books',
  load: async ({ db, now }, req) => {
    const { items, nextCursor } = await listPeriods(db, { cursor: req.cursor });
    return {
      intro: 'The months of the books. A closed one never changes: what changes later stands in the next.',
      sections: [
        {
          is: 'table',
          caption: 'Months, newest first',
          columns: [
            { label: 'Month' },
            { label: 'State' },
            { label: 'Entries', align: 'end' },
            { label: 'Closed' },
            { label: 'By' },
            { label: 'Files', align: 'end' },
            { label: 'Why' },
          ],
          rows: items.map(({ month, status, entries, closedAt, closedBy, files, reason }) => [
            link(month, periodHref(month)),
            periodBadge(status),
            count(entries),
            status === 'open' ? none('open') : time(closedAt, now()),
            status === 'open' || closedBy === null ? none() : text(closedBy),
            files.length === 0 ? none() : count(files.length),
            reason === null ? none() : text(reason),
          ]),
          empty: {
            title: 'Nothing is posted yet',
            text: 'Months appear with their first entry: once a balance was read, and what moved it.',
          },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};
