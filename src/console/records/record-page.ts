import type { RecordView } from '../../domain/views/record-shape.js';
import { type RecordDetails, recordDetails } from '../../records/orders/record-details.js';
import { assignRefundAction } from '../actions/assign-refund.js';
import type { Page, PageRequest } from '../page.js';
import { entityHref, eventHref, runHref } from '../view/links.js';
import { mayKnowPeople, recordFor } from '../view/personal.js';
import { howKnown } from '../view/record-words.js';
import type { Section } from '../view/sections.js';
import { timelineSteps } from '../view/timeline-steps.js';
import { count, id, link, none, text, time, type Value, words } from '../view/values.js';
import { ordersFor } from './list-page.js';
import { payoutOrders } from './payout-orders.js';
import { deepFields, fieldGroups } from './record-fields.js';
import { breaksOf, noticesOf } from './record-notices.js';
import { type OrdersOf, orderValue, statesOf } from './record-rows.js';
import { relatedTables } from './related-tables.js';
import { reportedPanel } from './reported-panel.js';
import type { Sheet } from './sheet.js';

/** One record: what it is, how that is known, what it is linked with, and all that happened to it. */
export function recordPage(sheet: Sheet): Page {
  return {
    path: `${sheet.path}/:id`,
    title: sheet.title,
    load: async (deps, req) => {
      const details = await recordDetails(deps.db, sheet.kind, req.params['id'] ?? '');
      if (details === null) return null;
      const { record } = details;
      const fields = recordFor(req.actor, sheet.kind, record);
      const concerned = sheet.kind === 'payout' ? await payoutOrders(deps, record.id) : null;
      // Those of a payout stand in a table of their own.
      const orders = (concerned?.references ?? []).length > 0 ? null : await ordersFor(deps, sheet, [record]);
      return {
        title: record.id,
        badges: [...statesOf(record), howKnown(record)],
        crumbs: [{ text: sheet.title, href: sheet.path }],
        actions: sheet.kind === 'payout' ? [req.button(assignRefundAction, { id: record.id })] : [],
        sections: [
          ...noticesOf(sheet, record),
          ...(concerned?.sections ?? []),
          ...breaksOf(details.breaks, deps.now()),
          knownPanel(sheet.kind, { record, orders, now: deps.now() }),
          ...fieldGroups(sheet, fields, mayKnowPeople(req.actor)),
          ...reportedPanel(sheet, fields),
          ...(await relatedTables(deps, sheet, { record, req })),
          ...deepFields(sheet, fields),
          timelinePanel(details, req),
          ...deliveriesOf(details),
        ],
      };
    },
  };
}

function knownPanel(
  kind: string,
  { record, orders, now }: { record: RecordView; orders: OrdersOf; now: Date },
): Section {
  const { id: own, verified, verifiedAt, observedAt, observedBy, absentSince } = record;
  const absent: [string, Value][] = absentSince === null ? [] : [['Not at the service since', time(absentSince, now)]];
  return {
    is: 'panel',
    title: 'How it is known',
    sections: [
      {
        is: 'facts',
        facts: [
          ['ID', id(own)],
          ...(orders === null ? [] : [['Order', orderValue(orders.get(own) ?? [])] as [string, Value]]),
          ['Verified', verified ? time(verifiedAt, now) : none('not by the service’s own list')],
          ['Shown as of', time(observedAt, now)],
          ['Shown by', sourceValue(observedBy)],
          ...absent,
          ...entriesOf(kind, own),
        ],
      },
    ],
  };
}

const booked: readonly string[] = ['payment_intent', 'payout', 'transaction'];

function entriesOf(kind: string, own: string): [string, Value][] {
  if (!booked.includes(kind)) return [];
  const query = new URLSearchParams({ recordKind: kind, recordId: own }).toString();
  return [['In the books', link('its entries', `/ledger?${query}`)]];
}

function sourceValue({ type, ref }: RecordView['observedBy']): Value {
  if (type === 'webhook' || type === 'delivery_history') return link(`event ${ref}`, eventHref(ref));
  if (type === 'poll' && /^\d+$/.test(ref)) return link(`run ${ref}`, runHref(ref));
  return text(`${words(type)}: ${ref.replaceAll('-', ' ')}`);
}

function timelinePanel({ timeline, hasOlder }: RecordDetails, req: PageRequest): Section {
  const older = hasOlder ? ' Older changes are in the changes feed.' : '';
  return {
    is: 'panel',
    title: 'What changed, oldest first',
    intro: `What events said stands on the left, what the service’s own lists showed on the right.${older}`,
    sections: [
      {
        is: 'timeline',
        sides: ['Webhooks said', 'The service’s lists showed'],
        steps: timelineSteps(timeline, req.actor),
        empty: 'No change is kept of it.',
      },
    ],
  };
}

/** What the service says it sent of the events that spoke of it. */
function deliveriesOf({ deliveries }: RecordDetails): Section[] {
  if (deliveries.length === 0) return [];
  return [
    {
      is: 'table',
      caption: 'Deliveries that brought its events',
      showCaption: true,
      columns: [
        { label: 'Delivery' },
        { label: 'Event' },
        { label: 'Endpoint' },
        { label: 'Status' },
        { label: 'Attempts', align: 'end' },
        { label: 'Created' },
      ],
      rows: deliveries.map(({ id: own, eventId, endpointUrl, status, attempts, createdAt }) => [
        id(own, entityHref('delivery', own)),
        link(`event ${eventId}`, eventHref(eventId)),
        endpointUrl === null ? none() : text(endpointUrl),
        status === null ? none() : text(status),
        attempts === null ? none() : count(attempts),
        time(createdAt),
      ]),
      empty: { title: '', text: '' },
    },
  ];
}
