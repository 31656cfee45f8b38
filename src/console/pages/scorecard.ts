import { isMonth, monthIn } from '../../domain/books/posting-month.js';
import { capitalized, counted, duration, words } from '../../domain/in-words.js';
import { CALLS, DELAY, isWhole, knownCount, sourceOf } from '../../domain/scorecard/lines.js';
import { classMeanings, type Scorecard } from '../../domain/scorecard/scorecard-shape.js';
import { type EventClass, eventClasses } from '../../domain/scorecard/tally-events.js';
import { countedMonths, readScorecard } from '../../records/scorecard/scorecard.js';
import type { Page, PageRequest } from '../page.js';
import { Problem } from '../problem.js';
import { beyond, calm, facts, filters, notice, options, type Section, type Tile, table } from '../view/sections.js';
import { ago, badge, count, list, none, oneLine, quiet, type Tone, text, type Value } from '../view/values.js';

export const scorecard: Page = {
  path: '/scorecard',
  title: 'Scorecard',
  group: 'Webhooks',
  filters: [{ name: 'month', label: 'Month' }],
  load: async ({ db, books: { timeZone }, now }, req) => {
    const newest = monthIn(timeZone, now().getTime());
    const month = req.filters['month'] ?? newest;
    if (!isMonth(month)) throw new Problem(400, 'Not understood', 'month takes a month such as 2026-10.');
    const [months, card] = await Promise.all([countedMonths(db, timeZone), readScorecard(db, month, now(), timeZone)]);
    return {
      title: `Scorecard ${month}`,
      intro:
        'What the service did in a month: each event once, under the worst that fits; its delays; its API. The CSV is to be handed to the service.',
      sections: [
        choiceOf(req, { month, newest, months }),
        { is: 'tiles', tiles: tilesOf(card) },
        facts([['Counted', countedOf(card)]]),
        ...card.notes.map((note) => notice('warn', 'Not known', note)),
        classesOf(card),
        typesOf(card),
        callsOf(card),
        rejectedOf(card),
        ...calm('how it is counted', [asOf(card)]),
      ],
    };
  },
};

function choiceOf(
  req: PageRequest,
  { month, newest, months }: { month: string; newest: string; months: readonly string[] },
): Section {
  const older = months.filter((one) => one !== newest);
  const form = filters(req, { changes: { month: { options: options(older), all: newest } } });
  return form.is === 'filters' ? { ...form, csv: `/scorecard/${month}.csv` } : form;
}

/** What is wrong is bad from the first on. */
const tones: Partial<Record<EventClass, Tone>> = {
  late: 'warn',
  out_of_order: 'warn',
  doubled: 'warn',
  rejected: 'bad',
  missed: 'bad',
  never_generated: 'bad',
  not_sent: 'bad',
};

const isWell = (what: EventClass, n: number): boolean => n === 0 || tones[what] === undefined;

function tilesOf(card: Scorecard): Tile[] {
  const { events, api } = card;
  const tile = (label: string, what: EventClass | 'expected', tone?: Tone): Tile => {
    const n = knownCount(card, what, events[what]);
    return {
      label,
      value: n === null ? '–' : String(n),
      note: noteOf(card, what, n),
      ...(n !== null && n > 0 && tone !== undefined ? { tone } : {}),
    };
  };
  return [
    tile('Expected', 'expected'),
    tile('In time, once, in order', 'received', 'good'),
    tile('Late', 'late', 'warn'),
    tile('Missed', 'missed', 'bad'),
    tile('Never generated', 'never_generated', 'bad'),
    { label: 'API availability', value: api.availability ?? '–', ...(api.availability === null ? {} : { unit: '%' }) },
  ];
}

/** Of days whose history was not read more may have been expected: a share of them is none. */
function noteOf(card: Scorecard, what: EventClass | 'expected', n: number | null): string {
  const { days, events } = card;
  if (n === null) return days.counted === 0 ? 'not counted' : 'not known: the history is not read';
  if (isWhole(card)) return what === 'expected' ? 'events' : shareOf(n, events.expected);
  if (what === 'received' || what === 'late') return 'events';
  return `at least: ${days.withHistory} of ${counted(days.counted, 'day')} read`;
}

/** The tiles are of then. */
function countedOf({ countedAt }: Scorecard): Value {
  if (countedAt === null) return none('not yet: the scheduler counts every ten minutes');
  return list([ago(countedAt), quiet('and again every ten minutes: what came since is not in it')]);
}

const shareOf = (n: number, all: number): string => (all === 0 ? 'of none' : `${((n / all) * 100).toFixed(2)} %`);

function classesOf(card: Scorecard): Section {
  const { events } = card;
  const known = (what: EventClass) => knownCount(card, what, events[what]);
  return table(eventClasses, {
    caption: 'What became of the events',
    onPhone: 'brief',
    calm: { label: 'that ask nothing of anybody', is: (what) => known(what) !== null && isWell(what, events[what]) },
    columns: [
      ['Events that', (what) => text(capitalized(words(what)))],
      ['Count', (what) => countOf(known(what), tones[what]), 'end'],
      [
        'Of those expected',
        (what) => (what === 'not_sent' || !isWhole(card) ? none() : text(shareOf(events[what], events.expected))),
        'end',
      ],
      ['It means', (what) => text(classMeanings[what]), 'wide'],
      ['From', (what) => quiet(sourceOf(what))],
    ],
  });
}

function countOf(n: number | null, tone: Tone | undefined): Value {
  if (n === null) return none();
  return n > 0 && tone !== undefined ? badge(String(n), tone) : count(n);
}

type TypeRow = Scorecard['byType'][number];

function typesOf(card: Scorecard): Section {
  const { byType } = card;
  const known = (what: EventClass | 'expected', n: number, tone?: Tone) => countOf(knownCount(card, what, n), tone);
  const own = (what: EventClass) => (row: TypeRow) => known(what, row[what], tones[what]);
  const wrong = byType.filter((row) => !eventClasses.every((what) => isWell(what, row[what]))).length;
  return table(byType, {
    caption: 'By type of event',
    calm: { label: `types, ${wrong} of them with something missed, late or doubled`, is: () => true },
    columns: [
      ['Type', ({ eventType }) => text(eventType, 'not given')],
      ['Expected', ({ expected }) => known('expected', expected), 'end'],
      ['Received', own('received'), 'end'],
      ['Doubled', own('doubled'), 'end'],
      ['Out of order', own('out_of_order'), 'end'],
      ['Late', own('late'), 'end'],
      ['Missed, rejected', ({ missed, rejected }) => known('missed', missed + rejected, 'bad'), 'end'],
      ['Never generated', own('never_generated'), 'end'],
      ['p50', ({ p50Ms }) => delayOf(p50Ms), 'end'],
      ['p99', ({ p99Ms }) => delayOf(p99Ms), 'end'],
    ],
    empty: ['No event is counted', 'The scheduler counts every ten minutes.'],
  });
}

function delayOf(ms: number | null): Value {
  if (ms === null) return none();
  return oneLine(ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : duration(ms / 1_000));
}

function callsOf({ api }: Scorecard): Section {
  const all = { operation: 'all', ...api };
  return table(api.byOperation.length === 0 ? [] : [all, ...api.byOperation], {
    caption: 'Calls to its API, each attempt',
    calm: beyond(1),
    columns: [
      ['Call', ({ operation }) => text(operation)],
      ['Answered', ({ answered }) => count(answered), 'end'],
      ['Refused', ({ refused }) => count(refused), 'end'],
      ['Limited (429)', ({ limited }) => count(limited), 'end'],
      ['Failed (5xx)', ({ failed }) => countOf(failed, 'bad'), 'end'],
      ['No answer', ({ no_answer: lost }) => countOf(lost, 'bad'), 'end'],
      ['Availability', ({ availability }) => text(availability === null ? null : `${availability} %`), 'end'],
    ],
    empty: ['No call is counted', 'Programs count their calls to the service from this version on.'],
  });
}

function rejectedOf({ rejectedRequests }: Scorecard): Section {
  return table(rejectedRequests, {
    caption: 'Requests that the receiver rejected, whoever sent them',
    columns: [
      ['Reason', ({ reason }) => text(words(reason))],
      ['Requests', ({ requests }) => count(requests), 'end'],
    ],
    empty: ['None was rejected', 'Of the days that are counted.'],
  });
}

function asOf({ days, timeZone }: Scorecard): Section {
  return facts([
    ['Days counted', text(`${days.counted} of ${days.of}, ${days.withHistory} with the whole delivery history`)],
    ['Days of', text(timeZone)],
    ['Delay', text(`${capitalized(DELAY)}; right to within a tenth`)],
    ['Calls', text(capitalized(CALLS))],
  ]);
}
