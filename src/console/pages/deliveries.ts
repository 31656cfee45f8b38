import type { DeliveryClass } from '../../domain/deliveries/delivery-class.js';
import type { DeliveryView } from '../../domain/views/webhook-shapes.js';
import type { Page as PageOf } from '../../records/database/paging.js';
import { countAwaited, countMissed, listDeliveries } from '../../records/deliveries/list-deliveries.js';
import { coverage } from '../../records/runs/coverage.js';
import { parseMoment, recoverDeliveries } from '../actions/recover-deliveries.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { Problem } from '../problem.js';
import { causeOf, classBadge, classOptions, deliveryWords } from '../view/delivery-words.js';
import { entityHref, eventHref } from '../view/links.js';
import {
  type ActionButton,
  facts,
  filters,
  listTable,
  notice,
  type Section,
  type TableSection,
  type Tile,
} from '../view/sections.js';
import { badge, capitalized, counted, id, link, list, none, quiet, text, time, type Value } from '../view/values.js';

export const deliveries: Page = {
  path: '/deliveries',
  title: 'Missed deliveries',
  group: 'Webhooks',
  filters: ['show', 'eventType', 'from', 'to'],
  load: async (deps, req) => {
    const { db, now } = deps;
    const { show, eventType, from, to } = req.filters;
    const [page, missedCount, awaited] = await Promise.all([
      listDeliveries(db, {
        cursor: req.cursor,
        eventType,
        missed: show === 'missed' ? 'true' : undefined,
        class: show === 'all' || show === 'missed' ? undefined : show,
        awaited: show === undefined,
        madeFrom: momentOf('from', from),
        madeTo: momentOf('to', to),
      }),
      countMissed(db),
      countAwaited(db),
    ]);
    const selected = req.button(recoverDeliveries, {}, { label: 'Recover the selected' });
    const explain =
      'Every delivery of that time whose event is not here enters the inbox from the payload that the service shows. You see which before anything is done.';
    const ranged = req.button(recoverDeliveries, {}, { label: 'Recover a time range', explain });
    return {
      intro:
        'What the service says it sent, beside what is here. Without a filter: what is missed or still on its way.',
      actions: [selected, withRange(ranged, req.filters)],
      sections: [
        { is: 'tiles', tiles: tilesOf(missedCount, awaited) },
        await readUpTo(deps, awaited),
        filters(req, [
          { name: 'show', label: 'Show', options: shows, all: 'missed or on its way' },
          { name: 'eventType', label: 'Type', hint: 'payout.confirmed' },
          { name: 'from', label: 'Sent from, UTC', hint: '2026-10-31 18:00' },
          { name: 'to', label: 'Sent up to, UTC', hint: '2026-10-31 20:00' },
        ]),
        tableOf(page, { req, now: now(), selected, missedCount }),
      ],
    };
  },
};

const shows = [
  { value: 'missed', text: 'only missed' },
  ...classOptions,
  { value: 'all', text: 'everything that was sent' },
];

/** @throws {Problem} 400 */
function momentOf(name: string, given: string | undefined): Date | undefined {
  if (given === undefined) return undefined;
  const moment = parseMoment(given);
  if (moment !== null) return moment;
  throw new Problem(400, 'Not understood', `${name} takes a time in UTC such as 2026-10-31 or 2026-10-31 18:00.`);
}

/** The range of the list is that of the form. */
function withRange(button: ActionButton | null, { from = '', to = '' }: PageRequest['filters']): ActionButton | null {
  if (button === null) return null;
  const hint = 'in UTC, such as 2026-10-31 18:00';
  const fields = [
    { name: 'from', label: 'Sent from', value: from, hint, required: true },
    { name: 'to', label: 'Sent up to', value: to, hint: `${hint}; empty: now` },
  ];
  return { ...button, fields };
}

const shownClasses: readonly DeliveryClass[] = ['rejected', 'never_reached', 'phantom'];

function tilesOf(missed: number | null, awaited: Awaited<ReturnType<typeof countAwaited>>): Tile[] {
  const of = (kind: DeliveryClass) => awaited.find((one) => one.class === kind)?.awaited ?? 0;
  return [
    {
      label: 'Overdue',
      value: missed === null ? 'unknown' : String(missed),
      note: missed === null ? 'no complete reading of the history yet' : 'should be here by now, and are not made good',
      tone: missed === null ? 'warn' : missed > 0 ? 'bad' : 'quiet',
      href: '/deliveries?show=missed',
    },
    ...shownClasses.map((kind): Tile => {
      const { short, tone } = deliveryWords[kind];
      const n = of(kind);
      return {
        label: capitalized(short),
        value: String(n),
        note: n > 0 ? 'not here yet, overdue or not' : 'none waits',
        tone: n === 0 ? 'quiet' : missed === 0 ? 'warn' : tone,
        href: `/deliveries?show=${kind}`,
      };
    }),
  ];
}

/** How fresh the service's side is: what it sent since is not in the list. */
async function readUpTo({ db, now }: PageDeps, awaited: Awaited<ReturnType<typeof countAwaited>>): Promise<Section> {
  const [of] = await coverage(db, ['deliveries'], now());
  const until = of?.completeUntil ?? null;
  const runs = { text: 'Runs of deliveries', href: '/runs?kind=deliveries' };
  if (until === null) {
    const text = 'Until then nobody can say that nothing is missed. Start a run of deliveries, or see why it fails.';
    return notice('warn', 'The delivery history was never read completely', text, runs);
  }
  const when = `${until.slice(0, 19).replace('T', ' ')} UTC`;
  const reason = of?.reason ?? null;
  if (reason !== null)
    return notice('warn', `Unproven since ${when}`, `The newest poll of the history: ${reason}.`, runs);
  const underWay = awaited.find((one) => one.class === 'pending_retry')?.awaited ?? 0;
  const waiting = link(counted(underWay, 'delivery', 'deliveries'), '/deliveries?show=pending_retry');
  return facts([
    ['Read completely up to', time(until, now())],
    ['Sent since then', quiet('shows with the next run')],
    ['On their way', underWay === 0 ? none('none') : waiting],
  ]);
}

interface Shown {
  req: PageRequest;
  now: Date;
  selected: ActionButton | null;
  missedCount: number | null;
}

function tableOf(page: PageOf<DeliveryView>, { req, now, selected, missedCount }: Shown): TableSection {
  return listTable(req, page, {
    caption: 'Deliveries, newest first: the service’s view beside ours',
    columns: [
      [
        'Pick',
        ({ id: value, recoverable }) =>
          selected === null || !recoverable
            ? none('')
            : { is: 'pick', button: selected, name: 'id', value, label: `Pick delivery ${value}` },
      ],
      [
        'Delivery',
        ({ id: own, eventType, createdAt }) =>
          list([id(own, entityHref('delivery', own)), quiet(eventType ?? 'type unknown'), time(createdAt)]),
      ],
      ['The service says', (item) => theirs(item, now)],
      ['We hold', ours],
      ['Cause', (item) => list([classBadge(item), text(causeOf(item))])],
    ],
    unfit: ['No delivery fits', 'Widen the range, or clear the filters.'],
    empty:
      missedCount === null
        ? ['Nothing is known yet', 'The delivery history was not read completely yet.']
        : ['Nothing is missed', 'Of all deliveries that were read, none is missed and none is on its way.'],
  });
}

/** The service's word, the answer that it noted, how often it tried and when it will again. */
function theirs({ status, httpStatus, attempts, nextRetryAt }: DeliveryView, now: Date): Value {
  const tried = attempts === null ? 'attempts unknown' : counted(attempts, 'attempt');
  return list([
    text(status ?? 'state unknown'),
    quiet(httpStatus === null ? 'no answer noted' : `answered ${httpStatus}`),
    quiet(tried),
    ...(nextRetryAt === null || new Date(nextRetryAt) <= now ? [] : [text('next'), time(nextRetryAt, now)]),
  ]);
}

function ours({ eventId, recoveredAt, class: kind }: DeliveryView): Value {
  if (eventId === null) return kind === 'other_endpoint' ? none('not for us') : none('nothing');
  const held = link(`event ${eventId}`, eventHref(eventId));
  return recoveredAt === null ? held : list([held, badge('recovered', 'good')]);
}
