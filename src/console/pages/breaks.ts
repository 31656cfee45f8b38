import { type AgeBucket, ageBuckets } from '../../domain/age-buckets.js';
import { breakKinds } from '../../domain/breaks/breaks.js';
import { countUnclosed, listBreaks } from '../../records/breaks/list-breaks.js';
import type { Page, PageRequest } from '../page.js';
import { breakColumns, breakRows, breakStatuses, severityTones } from '../view/break-rows.js';
import { paging } from '../view/links.js';
import type { Section } from '../view/sections.js';
import { badge, link, none, words } from '../view/values.js';

const severities = ['critical', 'high', 'medium', 'low'] as const;
const ages = Object.keys(ageBuckets) as AgeBucket[];

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
    const [{ items, nextCursor }, counts] = await Promise.all([
      listBreaks(db, { ...query, cursor: req.cursor }, at),
      countUnclosed(db, at),
    ]);
    const active = Object.keys(req.filters).length > 0;
    return {
      intro:
        'Where what we hold and what the service shows differ, and a person should check. Without a filter: what is not closed.',
      sections: [
        matrixOf(counts),
        filtersOf(req),
        {
          is: 'table',
          caption: 'Breaks, newest first',
          columns: breakColumns,
          rows: breakRows(items, at),
          empty: active
            ? { title: 'No break fits', text: 'Clear the filters to see all that is not closed.' }
            : {
                title: 'No break is open',
                text: 'No difference is known. What is not proven is shown at the top of the page, and by the runs.',
              },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};

/** What is not closed by severity and age, each number the way to its list. */
function matrixOf(counts: Awaited<ReturnType<typeof countUnclosed>>): Section {
  const rows = severities.flatMap((severity) => {
    const own = counts.filter((one) => one.severity === severity);
    if (own.length === 0) return [];
    const total = own.reduce((sum, { count }) => sum + count, 0);
    const cells = ages.map((age) => {
      const n = own.reduce((sum, one) => sum + (one.age === age ? one.count : 0), 0);
      return n === 0 ? none() : link(String(n), `/breaks?severity=${severity}&age=${encodeURIComponent(age)}`);
    });
    return [[badge(severity, severityTones[severity]), ...cells, link(String(total), `/breaks?severity=${severity}`)]];
  });
  return {
    is: 'table',
    caption: 'Not closed, by age in days',
    showCaption: true,
    columns: [
      { label: 'Severity' },
      ...ages.map((age) => ({ label: age.replace('-', '–'), align: 'end' as const })),
      { label: 'All', align: 'end' },
    ],
    rows,
    empty: { title: 'Nothing waits to be closed', text: 'Neither open nor acknowledged breaks are known.' },
  };
}

function filtersOf({ path, filters }: PageRequest): Section {
  const { status = '', kind = '', severity = '', age = '', entityKind, entityId } = filters;
  const one = (value: string) => ({ value, text: words(value) });
  const about = [
    ...(entityKind === undefined ? [] : [{ name: 'entityKind', label: 'About a', value: entityKind }]),
    ...(entityId === undefined ? [] : [{ name: 'entityId', label: 'Its id', value: entityId }]),
  ];
  return {
    is: 'filters',
    path,
    active: Object.keys(filters).length > 0,
    fields: [
      {
        name: 'status',
        label: 'Status',
        value: status,
        options: [...breakStatuses, { value: 'any', text: 'any' }],
        all: 'not closed',
      },
      { name: 'kind', label: 'Kind', value: kind, options: [...breakKinds].sort().map(one) },
      { name: 'severity', label: 'Severity', value: severity, options: severities.map(one) },
      {
        name: 'age',
        label: 'Age in days',
        value: age,
        options: ages.map((value) => ({ value, text: value.replace('-', '–') })),
      },
      ...about,
    ],
  };
}
