import { breakKinds } from '../../domain/breaks/breaks.js';
import { countUnclosed, listBreaks } from '../../records/breaks/list-breaks.js';
import type { Page, PageRequest } from '../page.js';
import { ageColumns, ages, ageWords } from '../view/age-columns.js';
import { breakColumns, breakStatuses, severities, severityBadge } from '../view/break-rows.js';
import { filters, listTable, options, type Section, table, withQuery } from '../view/sections.js';
import { link, none, words } from '../view/values.js';

export const breaks: Page = {
  path: '/breaks',
  title: 'Breaks',
  group: 'Proof',
  filters: ['status', 'kind', 'severity', 'age', 'entityKind', 'entityId'],
  load: async ({ db, now }, req) => {
    const { status, age: given, ...others } = req.filters;
    const at = now();
    const age = ages.find((bucket) => bucket === given);
    const query = { ...others, status: status === 'any' ? undefined : status, unclosed: status === undefined, age };
    const [page, counts] = await Promise.all([
      listBreaks(db, { ...query, cursor: req.cursor }, at),
      countUnclosed(db, at),
    ]);
    return {
      intro:
        'Where what we hold and what the service shows differ, and a person should check. Without a filter: what is not closed.',
      sections: [
        matrixOf(counts),
        filtersOf(req),
        listTable(req, page, {
          caption: 'Breaks, newest first',
          columns: breakColumns(at),
          unfit: ['No break fits', 'Clear the filters to see all that is not closed.'],
          empty: [
            'No break is open',
            'No difference is known. What is not proven is shown at the top of the page, and by the runs.',
          ],
        }),
      ],
    };
  },
};

/** What is not closed by severity and age, each number the way to its list. */
function matrixOf(counts: Awaited<ReturnType<typeof countUnclosed>>): Section {
  const own = (severity: string) => counts.filter((one) => one.severity === severity);
  return table(
    severities.filter((severity) => own(severity).length > 0),
    {
      caption: 'Not closed, by age in days',
      columns: [
        ['Severity', severityBadge],
        ...ageColumns(own, (severity, some, query) => {
          const n = some.reduce((sum, { count }) => sum + count, 0);
          return n === 0 ? none() : link(String(n), withQuery('/breaks', { severity, ...query }));
        }),
      ],
      empty: ['Nothing waits to be closed', 'Neither open nor acknowledged breaks are known.'],
    },
  );
}

function filtersOf(req: PageRequest): Section {
  const statuses = [...breakStatuses, { value: 'any', text: 'any' }];
  const about = [
    { name: 'entityKind', label: 'About a' },
    { name: 'entityId', label: 'Its id' },
  ];
  return filters(req, [
    { name: 'status', label: 'Status', options: statuses, all: 'not closed' },
    { name: 'kind', label: 'Kind', options: options([...breakKinds].sort(), words) },
    { name: 'severity', label: 'Severity', options: options(severities) },
    { name: 'age', label: 'Age in days', options: options(ages, ageWords) },
    // Only links name these.
    ...about.filter(({ name }) => name in req.filters),
  ]);
}
