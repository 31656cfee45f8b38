import { stringify } from 'lossless-json';
import { fromJsonText } from '../../domain/json.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import type { DeliveryDetail, DeliveryView } from '../../domain/views/webhook-shapes.js';
import { listBreaks } from '../../records/breaks/list-breaks.js';
import { getDelivery } from '../../records/deliveries/list-deliveries.js';
import { recoverDeliveries } from '../actions/recover-deliveries.js';
import type { Page, PageRequest } from '../page.js';
import { breakColumns, breakRows } from '../view/break-rows.js';
import { causeOf, deliveryWords, remedyOf } from '../view/delivery-words.js';
import { entityHref, eventHref } from '../view/links.js';
import { maskedDelivery, mayKnowPeople } from '../view/personal.js';
import type { Section } from '../view/sections.js';
import { badge, count, id, link, none, text, time } from '../view/values.js';

export const delivery: Page = {
  path: '/deliveries/:id',
  title: 'Delivery',
  load: async ({ db, now }, req) => {
    const found = await getDelivery(db, req.params['id'] ?? '');
    if (found === null) return null;
    const { items: breaks } = await listBreaks(db, { entityKind: 'delivery', entityId: found.id, take: 20 }, now());
    const { short, tone } = deliveryWords[found.class];
    const button = req.button(recoverDeliveries, {}, { fields: { id: found.id }, label: 'Recover this delivery' });
    return {
      title: `Delivery of ${found.eventType ?? 'an unknown type'}`,
      badges: [badge(short, tone), ...(found.missed ? [badge('missed', 'bad')] : [])],
      crumbs: [{ text: 'Missed deliveries', href: '/deliveries' }],
      actions: [found.recoverable ? button : null],
      sections: [
        causeNotice(found),
        { is: 'columns', columns: [[theirSide(found, now())], [ourSide(found, now())]] },
        ...breaksOf(breaks, now()),
        ...detailsOf(found, req),
      ],
    };
  },
};

function causeNotice(found: DeliveryView): Section {
  const remedy = remedyOf(found);
  const { tone } = deliveryWords[found.class];
  const isOver = !found.missed && found.recoveredAt !== null;
  return {
    is: 'notice',
    tone: isOver ? 'good' : tone,
    title: causeOf(found),
    text: remedy === null ? 'Nothing is to be done.' : remedy,
    ...(found.class === 'rejected' && found.reason !== null
      ? { link: { text: 'Rejections for that reason', href: `/rejections?reason=${encodeURIComponent(found.reason)}` } }
      : {}),
  };
}

function theirSide(found: DeliveryView, now: Date): Section {
  return {
    is: 'panel',
    title: 'The service says',
    sections: [
      {
        is: 'facts',
        facts: [
          ['Delivery', id(found.id)],
          ['State', found.status === null ? none() : text(found.status)],
          ['Our answer, as it noted it', found.httpStatus === null ? none('none') : count(found.httpStatus)],
          ['Attempts', found.attempts === null ? none('unknown') : count(found.attempts)],
          ['Last attempt', time(found.lastAttemptAt, now)],
          ['Next attempt', found.nextRetryAt === null ? none('none') : time(found.nextRetryAt, now)],
          ['Made', time(found.createdAt, now)],
          [
            'Endpoint',
            found.endpointId === null
              ? none('unknown')
              : id(found.endpointId, entityHref('endpoint', found.endpointId)),
          ],
          ['Sent to', found.endpointUrl === null ? none('unknown') : text(found.endpointUrl)],
        ],
      },
    ],
  };
}

function ourSide(found: DeliveryView, now: Date): Section {
  return {
    is: 'panel',
    title: 'We hold',
    sections: [
      {
        is: 'facts',
        facts: [
          [
            'Event',
            found.eventId === null ? none('nothing') : link(`event ${found.eventId}`, eventHref(found.eventId)),
          ],
          ['Class', text(deliveryWords[found.class].short)],
          ['Since', time(found.classSince, now)],
          ['Reason', found.reason === null ? none('none') : text(found.reason)],
          ['Missed', text(found.missed ? 'yes: it should be here by now' : 'no')],
          ['Recovered', found.recoveredAt === null ? none('no') : time(found.recoveredAt, now)],
          ['Can be recovered', text(found.recoverable ? 'yes, out of the payload that the service shows' : 'no')],
          ['Read', time(found.verifiedAt, now)],
          ['Read in', link(`run ${found.observedBy.ref}`, `/runs/${encodeURIComponent(found.observedBy.ref)}`)],
        ],
      },
    ],
  };
}

function breaksOf(breaks: readonly BreakView[], now: Date): Section[] {
  if (breaks.length === 0) return [];
  return [
    {
      is: 'table',
      caption: 'Breaks of this delivery',
      showCaption: true,
      columns: breakColumns,
      rows: breakRows(breaks, now),
      empty: { title: '', text: '' },
    },
  ];
}

/** What the service keeps of what it sent and got; for viewers without what identifies a person. */
function detailsOf(found: DeliveryDetail, { actor }: PageRequest): Section[] {
  const { payload, responseBody, responseHeaders, attemptsList } = mayKnowPeople(actor) ? found : maskedDelivery(found);
  const masked = mayKnowPeople(actor) ? '' : ', personal data masked';
  const shown: readonly (readonly [string, string | null])[] = [
    [`Payload${masked}`, payload === null ? null : pretty(payload)],
    [`Answer to the last attempt, as the service noted it${masked}`, responseBody],
    [
      'Headers of that answer',
      responseHeaders === null ? null : (stringify(responseHeaders, null, 2)?.toString() ?? null),
    ],
    ['Attempts', attemptsList === null ? null : (stringify(attemptsList, null, 2)?.toString() ?? null)],
  ];
  const sections = shown.flatMap(([title, text]): Section[] => (text === null ? [] : [{ is: 'code', title, text }]));
  if (sections.length > 0) return sections;
  const text = 'The service shows no payload and no attempts, or they were deleted by their age (RETENTION_BODY_DAYS).';
  return [{ is: 'notice', tone: 'quiet', title: 'Nothing more is kept of it', text }];
}

function pretty(text: string): string {
  try {
    return stringify(fromJsonText(text), null, 2) ?? text;
  } catch {
    return text;
  }
}
