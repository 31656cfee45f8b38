import { stringify } from 'lossless-json';
import { fromJsonText } from '../../domain/json.js';
import type { DeliveryDetail, DeliveryView } from '../../domain/views/webhook-shapes.js';
import { listBreaks } from '../../records/breaks/list-breaks.js';
import { getDelivery } from '../../records/deliveries/list-deliveries.js';
import { recoverDeliveries } from '../actions/recover-deliveries.js';
import type { Page, PageRequest } from '../page.js';
import { breaksOf } from '../view/break-rows.js';
import { causeOf, classBadge, deliveryWords, remedyOf } from '../view/delivery-words.js';
import { entityHref } from '../view/links.js';
import { maskedDelivery, mayKnowPeople } from '../view/personal.js';
import { eventLink, runLink } from '../view/record-words.js';
import { code, factsPanel, notice, type Section } from '../view/sections.js';
import { badge, count, id, none, text, time } from '../view/values.js';

export const delivery: Page = {
  path: '/deliveries/:id',
  title: 'Delivery',
  load: async ({ db, now }, req) => {
    const found = await getDelivery(db, req.params['id'] ?? '');
    if (found === null) return null;
    const { items: breaks } = await listBreaks(db, { entityKind: 'delivery', entityId: found.id, take: 20 }, now());
    const button = req.button(recoverDeliveries, {}, { fields: { id: found.id }, label: 'Recover this delivery' });
    return {
      title: `Delivery of ${found.eventType ?? 'an unknown type'}`,
      badges: [classBadge(found), ...(found.missed ? [badge('missed', 'bad')] : [])],
      crumbs: [{ text: 'Missed deliveries', href: '/deliveries' }],
      actions: [found.recoverable ? button : null],
      sections: [
        causeNotice(found),
        { is: 'columns', columns: [[theirSide(found, now())], [ourSide(found, now())]] },
        ...breaksOf(breaks, now(), 'Breaks of this delivery'),
        ...detailsOf(found, req),
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

function theirSide(found: DeliveryView, now: Date): Section {
  const { endpointId } = found;
  return factsPanel('The service says', [
    ['Delivery', id(found.id)],
    ['State', text(found.status)],
    ['Our answer, as it noted it', count(found.httpStatus, 'none')],
    ['Attempts', count(found.attempts, 'unknown')],
    ['Last attempt', time(found.lastAttemptAt, now)],
    ['Next attempt', time(found.nextRetryAt, now, 'none')],
    ['Made', time(found.createdAt, now)],
    ['Endpoint', endpointId === null ? none('unknown') : id(endpointId, entityHref('endpoint', endpointId))],
    ['Sent to', text(found.endpointUrl, 'unknown')],
  ]);
}

function ourSide(found: DeliveryView, now: Date): Section {
  const { eventId } = found;
  return factsPanel('We hold', [
    ['Event', eventId === null ? none('nothing') : eventLink(eventId)],
    ['Class', text(deliveryWords[found.class].short)],
    ['Since', time(found.classSince, now)],
    ['Reason', text(found.reason, 'none')],
    ['Missed', text(found.missed ? 'yes: it should be here by now' : 'no')],
    ['Recovered', time(found.recoveredAt, now, 'no')],
    ['Can be recovered', text(found.recoverable ? 'yes, out of the payload that the service shows' : 'no')],
    ['Read', time(found.verifiedAt, now)],
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
