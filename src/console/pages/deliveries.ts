import { stringify } from 'lossless-json';
import { type AlertFacts, countNotHere, sentOf } from '../../domain/alerts/facts.js';
import { hindranceOf } from '../../domain/alerts/outage-words.js';
import type { DeliveryClass } from '../../domain/deliveries/delivery-class.js';
import { capitalized, counted, minuteOf } from '../../domain/in-words.js';
import { fromJsonText } from '../../domain/json.js';
import type { Coverage } from '../../domain/views/proof-shapes.js';
import type { DeliveryDetail, DeliveryView } from '../../domain/views/webhook-shapes.js';
import { listBreaks } from '../../records/breaks/list-breaks.js';
import { countMissed, getDelivery, listDeliveries } from '../../records/deliveries/list-deliveries.js';
import { coverage } from '../../records/runs/coverage.js';
import { parseMoment, rangeButton, recoverButton } from '../actions/recover-deliveries.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { badFilter } from '../problem.js';
import { breaksOf } from '../view/break-rows.js';
import { causeOf, classBadge, classOptions, deliveryWords, remedyOf } from '../view/delivery-words.js';
import { entityHref, eventHref } from '../view/links.js';
import { maskedDelivery, mayKnowPeople } from '../view/personal.js';
import { eventLink, runLink } from '../view/record-words.js';
import {
  type ActionButton,
  calm,
  code,
  type Field,
  facts,
  factsPanel,
  filters,
  listTable,
  notice,
  pickColumn,
  type Section,
  type Tile,
} from '../view/sections.js';
import { ago, badge, count, id, link, list, none, quiet, text, time, type Value } from '../view/values.js';

/** Of more than one class. */
const OF_CLASSES = ['missed', 'lost', 'all'];
const shows = [
  { value: 'missed', text: 'only missed' },
  { value: 'lost', text: 'did not arrive, recovered or not' },
  ...classOptions,
  { value: 'all', text: 'everything that was sent' },
];

export const deliveries: Page = {
  path: '/deliveries',
  title: 'Missed deliveries',
  group: 'Webhooks',
  waiting: { count: ({ facts }) => countNotHere(facts), words: 'not here' },
  list: { rows: deliveryRows, days: 'none' },
  filters: [
    { name: 'show', label: 'Show', all: 'missed or on its way', options: shows },
    { name: 'eventType', label: 'Type', hint: 'payout.confirmed' },
    { name: 'from', label: 'Sent from, UTC', type: 'datetime-local' },
    { name: 'to', label: 'Sent up to, UTC', type: 'datetime-local' },
  ],
  load: async (deps, req) => {
    const { facts: known } = await deps.state();
    const [of] = await coverage(deps.db, ['deliveries'], deps.now());
    const selected = recoverButton(req, known, { label: 'Recover the selected' });
    return {
      intro:
        'What the service says it sent, beside what is here. Without a filter: what is missed or still on its way.',
      actions: [selected, rangeButton(req, known)],
      sections: [
        ...waitNotice(known),
        { is: 'tiles', tiles: tilesOf(known, of) },
        readUpTo(known.awaited, of),
        filters(req, { changes: { from: pickedFrom(req, 'from'), to: pickedFrom(req, 'to') } }),
        await deliveryRows(deps, req, selected),
      ],
    };
  },
};

/** For a picker of times: the one of the request, however it is written there. */
function pickedFrom({ filters: given }: PageRequest, name: 'from' | 'to'): Pick<Field, 'value'> {
  return { value: momentOf(name, given[name])?.toISOString().slice(0, 19) ?? '' };
}

/** @throws {Problem} 400 */
function momentOf(name: string, given: string | undefined): Date | undefined {
  if (given === undefined) return undefined;
  const moment = parseMoment(given);
  if (moment !== null) return moment;
  throw badFilter(name, 'takes a time in UTC such as 2026-10-31 or 2026-10-31 18:00');
}

function waitNotice(known: AlertFacts): Section[] {
  const until = hindranceOf(known)?.until;
  if (until === undefined) return [];
  return [notice('warn', 'Recovering waits for the service', `What is not here can be recovered ${until}.`)];
}

const shownClasses: readonly DeliveryClass[] = ['rejected', 'never_reached', 'phantom'];

function tilesOf({ missed, awaited }: Pick<AlertFacts, 'missed' | 'awaited'>, covered: Coverage | undefined): Tile[] {
  const asOf = covered?.reason && covered.completeUntil ? `as of ${minuteOf(covered.completeUntil)} UTC: ` : '';
  const of = (kind: DeliveryClass) => awaited.find((one) => one.class === kind) ?? { awaited: 0, missed: 0 };
  const all = countNotHere({ missed, awaited });
  return [
    {
      label: 'Not here',
      value: all === null ? 'unknown' : String(all),
      note: `${asOf}overdue or not`,
      tone: missed !== null && missed > 0 ? 'bad' : all === 0 ? 'quiet' : 'warn',
      href: '/deliveries',
    },
    {
      label: 'Missed',
      value: missed === null ? 'unknown' : String(missed),
      note: missed === null ? 'no complete scan of the history yet' : `${asOf}overdue, and not made good`,
      tone: missed === null ? 'warn' : missed > 0 ? 'bad' : 'quiet',
      href: '/deliveries?show=missed',
    },
    ...[...shownClasses, 'pending_retry' as const].map((kind): Tile => {
      const { short, tone } = deliveryWords[kind];
      const { awaited: n, missed: overdue } = of(kind);
      return {
        label: capitalized(short),
        value: String(n),
        note: `${asOf}${n > 0 ? `${overdue} missed, ${n - overdue} not overdue yet` : 'none waits'}`,
        tone: n === 0 ? 'quiet' : missed === 0 && tone === 'bad' ? 'warn' : tone,
        href: `/deliveries?show=${kind}`,
      };
    }),
  ];
}

/** How fresh the service's side is: what it sent since is not in the list. */
function readUpTo(awaited: AlertFacts['awaited'], of: Coverage | undefined): Section {
  const until = of?.completeUntil ?? null;
  const runs = { text: 'Runs of deliveries', href: '/runs?kind=deliveries' };
  if (until === null) {
    const text = 'Until then nobody can say that nothing is missed. Start a run of deliveries, or see why it fails.';
    return notice('warn', 'The delivery history was never read completely', text, runs);
  }
  const when = `${until.slice(0, 19).replace('T', ' ')} UTC`;
  if (of?.reason != null)
    return notice('warn', `Unproven since ${when}`, `The newest poll of the history: ${of.reason}.`, runs);
  const { from, to } = sentOf(awaited);
  return facts([
    ['Read completely up to', ago(until)],
    ['Sent since then', quiet('shows with the next run')],
    ['First that is not here', from === null ? none('none') : list([text('sent'), time(from)])],
    ['Newest that is not here', to === null ? none('none') : list([text('sent'), time(to)])],
  ]);
}

async function deliveryRows({ db, now }: PageDeps, req: PageRequest, selected: ActionButton | null = null) {
  const { show, eventType, from, to } = req.filters;
  const [madeFrom, madeTo] = [momentOf('from', from), momentOf('to', to)];
  if (madeFrom && madeTo && madeTo < madeFrom) throw badFilter('to', `is ${to}, before the first, ${from}`);
  const page = await listDeliveries(db, {
    ...req.slice,
    eventType,
    missed: show === 'missed' ? 'true' : undefined,
    class: show === undefined || OF_CLASSES.includes(show) ? undefined : show,
    lost: show === 'lost',
    awaited: show === undefined,
    madeFrom,
    madeTo,
  });
  const isUnknown = page.items.length === 0 && (await countMissed(db)) === null;
  return listTable(req, page, {
    caption: 'Deliveries, newest first: the service’s view beside ours',
    columns: [
      ...pickColumn<DeliveryView>(selected, ({ id: own, recoverable }) =>
        recoverable ? { id: own, label: `Pick delivery ${own}` } : null,
      ),
      [
        'Delivery',
        ({ id: own, eventType, createdAt }) =>
          list([id(own, entityHref('delivery', own)), quiet(eventType ?? 'type unknown'), time(createdAt)]),
      ],
      ['The service says', (item) => theirs(item, now())],
      ['We hold', ours],
      ['Cause', (item) => list([classBadge(item), text(causeOf(item))])],
    ],
    unfit: ['No delivery fits', 'Widen the range, or clear the filters.'],
    empty: isUnknown
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
    ...(nextRetryAt === null || new Date(nextRetryAt) <= now ? [] : [text('next'), ago(nextRetryAt)]),
  ]);
}

function ours({ eventId, recoveredAt, class: kind }: DeliveryView): Value {
  if (eventId === null) return kind === 'other_endpoint' ? none('not for us') : none('nothing');
  const held = link(`event ${eventId}`, eventHref(eventId));
  return recoveredAt === null ? held : list([held, badge('recovered', 'good')]);
}

export const delivery: Page = {
  path: '/deliveries/:id',
  title: 'Delivery',
  load: async ({ db, now, state }, req) => {
    const found = await getDelivery(db, req.params['id'] ?? '');
    if (found === null) return null;
    const { items: breaks } = await listBreaks(db, { entityKind: 'delivery', entityId: found.id, take: 20 }, now());
    const how = { fields: { id: found.id }, label: 'Recover this delivery' };
    const button = recoverButton(req, (await state()).facts, how);
    return {
      title: `Delivery of ${found.eventType ?? 'an unknown type'}`,
      badges: [classBadge(found), ...(found.missed ? [badge('missed', 'bad')] : [])],
      actions: [found.recoverable ? button : null],
      sections: [
        causeNotice(found),
        { is: 'columns', columns: [[theirSide(found)], [ourSide(found)]] },
        ...breaksOf(breaks, 'Breaks of this delivery'),
        ...calm('what is kept of it', detailsOf(found, req)),
      ],
    };
  },
};

function causeNotice(found: DeliveryView): Section {
  const isOver = !found.missed && found.recoveredAt !== null;
  const tone = isOver ? 'good' : deliveryWords[found.class].tone;
  const rejections =
    found.class === 'rejected' && found.reason !== null
      ? { text: 'Rejections for that reason', href: `/rejections?reason=${encodeURIComponent(found.reason)}` }
      : undefined;
  return notice(tone, causeOf(found), remedyOf(found) ?? 'Nothing is to be done.', rejections);
}

function theirSide(found: DeliveryView): Section {
  const { endpointId } = found;
  return factsPanel('The service says', [
    ['Delivery', id(found.id)],
    ['State', text(found.status)],
    ['Our answer, as it noted it', count(found.httpStatus, 'none')],
    ['Attempts', count(found.attempts, 'unknown')],
    ['Last attempt', ago(found.lastAttemptAt)],
    ['Next attempt', ago(found.nextRetryAt, 'none')],
    ['Made', ago(found.createdAt)],
    ['Endpoint', endpointId === null ? none('unknown') : id(endpointId, entityHref('endpoint', endpointId))],
    ['Sent to', text(found.endpointUrl, 'unknown')],
  ]);
}

function ourSide(found: DeliveryView): Section {
  const { eventId } = found;
  return factsPanel('We hold', [
    ['Event', eventId === null ? none('nothing') : eventLink(eventId)],
    ['Class', text(deliveryWords[found.class].short)],
    ['Since', ago(found.classSince)],
    ['Reason', text(found.reason, 'none')],
    ['Missed', text(found.missed ? 'yes: it should be here by now' : 'no')],
    ['Recovered', ago(found.recoveredAt, 'no')],
    ['Can be recovered', text(found.recoverable ? 'yes, out of the payload that the service shows' : 'no')],
    ['Read', ago(found.verifiedAt)],
    ['Read in', runLink(found.observedBy.ref)],
  ]);
}

/** What the service keeps of what it sent and got; for viewers without what identifies a person. */
function detailsOf(found: DeliveryDetail, { actor }: PageRequest): Section[] {
  const { payload, responseBody, responseHeaders, attemptsList } = mayKnowPeople(actor) ? found : maskedDelivery(found);
  const masked = mayKnowPeople(actor) ? '' : ', personal data masked';
  const json = (value: unknown) => (value === null ? null : (stringify(value, null, 2) ?? null));
  const shown: readonly (readonly [string, string | null])[] = [
    [`Payload${masked}`, payload === null ? null : pretty(payload)],
    [`Answer to the last attempt, as the service noted it${masked}`, responseBody],
    ['Headers of that answer', json(responseHeaders)],
    ['Attempts', json(attemptsList)],
  ];
  const sections = shown.flatMap(([title, text]) => (text === null ? [] : [code(title, text)]));
  if (sections.length > 0) return sections;
  const text = 'The service shows no payload and no attempts, or they were deleted by their age (RETENTION_BODY_DAYS).';
  return [notice('quiet', 'Nothing more is kept of it', text)];
}

function pretty(text: string): string {
  try {
    return stringify(fromJsonText(text), null, 2) ?? text;
  } catch {
    return text;
  }
}
