import { counted, words } from '../../domain/in-words.js';
import { rejectionReasons, rejectionWords } from '../../domain/rejection-words.js';
import type { State } from '../../domain/state/state.js';
import type { RejectionView } from '../../domain/views/webhook-shapes.js';
import { listRejections, type ReasonCount } from '../../records/alerts/list-rejections.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { spark } from '../view/chart.js';
import { mayKnowPeople } from '../view/personal.js';
import { filters, listTable, notice, options, type Section, type TableSection, table } from '../view/sections.js';
import { problemNotices } from '../view/standing.js';
import { ago, badge, count, drawing, link, list, none, quiet, stack, text, type Value } from '../view/values.js';

export const rejections: Page = {
  path: '/rejections',
  title: 'Rejections',
  group: 'Webhooks',
  waiting: {
    count: ({ facts }) => facts.rejected.reduce((sum, { count }) => sum + count, 0),
    words: 'in the last hour',
  },
  list: { rows: sampleRows },
  filters: [{ name: 'reason', label: 'Reason', options: options(rejectionReasons, words) }],
  load: async (deps, req) => {
    const { reason } = req.filters;
    const { state, figures } = await deps.state();
    const { reasons: counts } = figures;
    return {
      intro:
        'Requests to the receiver that were rejected, by reason, and what to do. All are counted; a sample of each reason is kept.',
      sections: [
        ...problemNotices(state, CAUSES),
        countsOf(counts, state),
        ...(reason === undefined ? [] : remedyOf(reason, counts)),
        filters(req),
        await sampleRows(deps, req),
      ],
    };
  },
};

/** Of what is rejected under the service’s headers. */
const CAUSES = [
  'TallyhookNoSecretAccepted',
  'TallyhookInvalidSignatures',
  'TallyhookExpiredTimestamps',
  'EndpointReplaced',
];

async function sampleRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  const page = await listRejections(db, { reason: req.filters['reason'], ...req.slice });
  return listTable(req, page, {
    caption: 'Samples, newest first',
    showCaption: true,
    columns: [
      ['Rejected', ({ rejectedAt }) => ago(rejectedAt)],
      ['Reason', ({ reason }) => text(words(reason))],
      ['Found', ({ detail }) => text(detail)],
      ['Likely cause, and what to do', ({ diagnosis }) => text(diagnosis, 'none is known')],
      ['Body', (sample) => bodyOf(sample, mayKnowPeople(req.actor))],
    ],
    empty: ['No sample', 'Nothing of the kind was rejected, as far as samples are kept.'],
  });
}

function countsOf(counts: readonly ReasonCount[], state: State): Section {
  return table(counts, {
    caption: 'Rejected in the last seven days, by reason',
    isGrid: true,
    columns: [
      ['Reason', ({ reason }) => link(words(reason), `/rejections?reason=${encodeURIComponent(reason)}`)],
      ['24 hours', ({ day }) => (day > 0 ? badge(String(day), 'bad') : count(day)), 'end'],
      ['7 days', ({ week }) => count(week), 'end'],
      ['By the hour', ({ hours }) => drawing(spark(hours, hoursText(hours)))],
      ['First, last', ({ firstAt, lastAt }) => stack([ago(firstAt.toISOString()), ago(lastAt.toISOString())])],
      ['It means', meaningOf],
      ['What to do', ({ reason }) => text(remedyNow(reason, state), 'Each sample says what was found.')],
    ],
    empty: [
      'Nothing was rejected in seven days',
      'Every request that reached the receiver was taken. Whether all reached it, the missed deliveries show.',
    ],
  });
}

/** Where a problem has them counted, what it asks for. */
function remedyNow(reason: string, { problems }: State): string | undefined {
  const counted = problems
    .flatMap((head) => [head, ...head.follows])
    .find(({ page, remedy }) => page === `/rejections?reason=${reason}` && remedy !== '');
  return counted?.remedy ?? rejectionWords[reason]?.remedy;
}

function hoursText(hours: readonly number[]): string {
  const highest = Math.max(...hours);
  return `Rejected in each of the last 24 hours: ${hours.join(', ')}; at most ${highest}.`;
}

const MOST_CAUSES = 3;

/** What the reason means, and what its samples show of the cause: of how many of them, since not all that are counted are kept. */
function meaningOf({ reason, causes }: ReasonCount): Value {
  const all = causes.reduce((sum, { samples }) => sum + samples, 0);
  const shown = causes
    .slice(0, MOST_CAUSES)
    .map(({ cause, samples }) => quiet(`${cause} (${samples} of ${counted(all, 'sample')})`));
  return stack([text(rejectionWords[reason]?.means), ...shown]);
}

/** What it means and what to do stand in the table, where it is there. */
function remedyOf(reason: string, counts: readonly ReasonCount[]): Section[] {
  const known = rejectionWords[reason];
  if (known === undefined) return [];
  const isTold = counts.some((one) => one.reason === reason);
  const title = isTold ? 'What was rejected so is recovered' : known.means;
  const recovered = 'It is searched for in the delivery history of the service, and recovered.';
  const link = { text: 'Deliveries that we rejected', href: '/deliveries?show=rejected' };
  return [notice('info', title, isTold ? recovered : `${known.remedy} ${recovered}`, link)];
}

function bodyOf({ bodySize, firstBytes }: RejectionView, knowsPeople: boolean): Value {
  if (bodySize === 0) return none('no body');
  return list([text(`${bodySize} bytes`), quiet(knowsPeople ? firstBytes : 'its beginning is not shown to viewers')]);
}
