import { rejectionWords } from '../../domain/rejection-words.js';
import type { RejectionView } from '../../domain/views/webhook-shapes.js';
import { listRejections, type ReasonCount, rejectionsByReason } from '../../records/inbox/rejections.js';
import type { Page, PageRequest } from '../page.js';
import { paging } from '../view/links.js';
import { mayKnowPeople } from '../view/personal.js';
import type { Section, TableSection } from '../view/sections.js';
import { badge, count, link, list, none, quiet, text, time, words } from '../view/values.js';

export const rejections: Page = {
  path: '/rejections',
  title: 'Rejections',
  group: 'Webhooks',
  filters: ['reason'],
  load: async ({ db, now }, req) => {
    const { reason } = req.filters;
    const [counts, { items, nextCursor }] = await Promise.all([
      rejectionsByReason(db, now()),
      listRejections(db, { reason, cursor: req.cursor }),
    ]);
    return {
      intro:
        'Requests to the receiver that were rejected, by reason, and what to do. All are counted; a sample of each reason is kept.',
      sections: [
        countsOf(counts),
        ...(reason === undefined ? [] : remedyOf(reason)),
        filtersOf(req, counts),
        samplesOf(items, { now: now(), req, ...paging(req, nextCursor) }),
      ],
    };
  },
};

function countsOf(counts: readonly ReasonCount[]): Section {
  return {
    is: 'table',
    caption: 'Rejected in the last seven days, by reason',
    showCaption: true,
    columns: [
      { label: 'Reason' },
      { label: '24 hours', align: 'end' },
      { label: '7 days', align: 'end' },
      { label: 'It means' },
      { label: 'What to do' },
    ],
    rows: counts.map(({ reason, day, week }) => {
      const known = rejectionWords[reason];
      return [
        link(words(reason), `/rejections?reason=${encodeURIComponent(reason)}`),
        day > 0 ? badge(String(day), 'bad') : count(day),
        count(week),
        known === undefined ? none() : text(known.means),
        known === undefined ? none('Each sample says what was found.') : text(known.remedy),
      ];
    }),
    empty: {
      title: 'Nothing was rejected in seven days',
      text: 'Every request that reached the receiver was taken. Whether all reached it, the missed deliveries show.',
    },
  };
}

function remedyOf(reason: string): Section[] {
  const known = rejectionWords[reason];
  if (known === undefined) return [];
  const text = `${known.remedy} What was rejected so is searched for in the delivery history of the service, and recovered.`;
  const link = { text: 'Deliveries that we rejected', href: '/deliveries?show=rejected' };
  return [{ is: 'notice', tone: 'info', title: known.means, text, link }];
}

function filtersOf({ path, filters }: PageRequest, counts: readonly ReasonCount[]): Section {
  const known = [...new Set([...Object.keys(rejectionWords), ...counts.map(({ reason }) => reason)])];
  const options = known.map((value) => ({ value, text: words(value) }));
  return {
    is: 'filters',
    path,
    active: Object.keys(filters).length > 0,
    fields: [{ name: 'reason', label: 'Reason', value: filters['reason'] ?? '', options }],
  };
}

interface Shown extends Pick<TableSection, 'first' | 'next'> {
  now: Date;
  req: PageRequest;
}

function samplesOf(items: readonly RejectionView[], { now, req, first, next }: Shown): Section {
  const body = ({ bodySize, firstBytes }: RejectionView) => {
    const size = `${bodySize} bytes`;
    if (bodySize === 0) return none('no body');
    return list([text(size), quiet(mayKnowPeople(req.actor) ? firstBytes : 'its beginning is not shown to viewers')]);
  };
  return {
    is: 'table',
    caption: 'Samples, newest first',
    showCaption: true,
    columns: [
      { label: 'Rejected' },
      { label: 'Reason' },
      { label: 'Found' },
      { label: 'Likely cause, and what to do' },
      { label: 'Body' },
    ],
    rows: items.map((item) => [
      time(item.rejectedAt, now),
      text(words(item.reason)),
      text(item.detail),
      item.diagnosis === null ? none('none is known') : text(item.diagnosis),
      body(item),
    ]),
    empty: { title: 'No sample', text: 'Nothing of the kind was rejected, as far as samples are kept.' },
    first,
    next,
  };
}
