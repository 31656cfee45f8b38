import type { RecordAsOf } from '../../domain/views/order-shapes.js';
import type { OrderAsOf, OrderAsOfResult } from '../../records/orders/order-as-of.js';
import type { PageRequest } from '../page.js';
import { entityHref, orderHref } from '../view/links.js';
import { orderStatusTone, releaseReason } from '../view/order-words.js';
import { kindWord } from '../view/record-words.js';
import type { PageView, Section } from '../view/sections.js';
import { timelineSteps } from '../view/timeline-steps.js';
import { amount, badge, id, list, none, quiet, text, time, words } from '../view/values.js';

/** An order's page as of a time; null: there is no such order. */
export function orderAsOfView(
  result: OrderAsOfResult | 'not_a_time',
  reference: string,
  req: PageRequest,
): PageView | null {
  const about = {
    title: reference,
    crumbs: [
      { text: 'Orders', href: '/orders' },
      { text: reference, href: orderHref(reference) },
    ],
  };
  if (result === 'not_a_time') {
    const said = 'Accepted is a day such as 2026-10-31, which means its end, or a moment such as 2026-10-31T18:00Z.';
    return {
      ...about,
      sections: [asOfFilter(req), { is: 'notice', tone: 'warn', title: 'That is no time', text: said }],
    };
  }
  if (result.outcome === 'not_found') return null;
  if (result.outcome === 'not_yet_known') {
    const said = `It was first known here at ${result.firstKnownAt}.`;
    return {
      ...about,
      sections: [asOfFilter(req), { is: 'notice', tone: 'info', title: 'Not known then', text: said }],
    };
  }
  const { details } = result;
  const { status } = details.order;
  return {
    ...about,
    badges: status === null ? [] : [badge(words(status), orderStatusTone(status))],
    sections: [asOfFilter(req), noticeOf(details), factsOf(details), recordsOf(details), timelineOf(details, req)],
  };
}

/** Shown on every page of an order. */
export function asOfFilter(req: PageRequest): Section {
  const asOf = req.filters['asOf'] ?? '';
  return {
    is: 'filters',
    path: req.path,
    active: asOf !== '',
    fields: [{ name: 'asOf', label: 'As it was known at', value: asOf, hint: '2026-10-31T18:00Z' }],
  };
}

function noticeOf({ asOf, toldLater: { changes, firstKnownAt } }: OrderAsOf): Section {
  const later =
    changes === 0
      ? 'Nothing that the service dates by then came to be known later.'
      : `${changes} changes that the service dates by then came to be known later, the first at ${firstKnownAt}: they are not shown.`;
  const title = `As it was known here at ${asOf}`;
  const said = `Known is not happened: this is what had been reported or read by then. ${later} Personal data stands as digests.`;
  return { is: 'notice', tone: 'info', title, text: said };
}

function factsOf({ reference, order: { expected, release } }: OrderAsOf): Section {
  return {
    is: 'panel',
    title: 'The order then',
    sections: [
      {
        is: 'facts',
        facts: [
          ['Reference', id(reference)],
          [
            'Expected by the store',
            expected === null ? none('not registered') : amount(expected.amount, expected.currency),
          ],
          [
            'Goods',
            list([
              badge(release.safe ? 'release' : 'hold', release.safe ? 'good' : 'warn'),
              quiet(releaseReason(release.reason)),
            ]),
          ],
        ],
      },
    ],
  };
}

function recordsOf({ paymentIntents, payins, invoices, refunds }: OrderAsOf): Section {
  const records = [...paymentIntents, ...payins, ...invoices, ...refunds];
  return {
    is: 'panel',
    title: 'Made of, then',
    sections: [
      {
        is: 'table',
        caption: 'Records of this order as they were known',
        columns: [
          { label: 'Record' },
          { label: 'State' },
          { label: 'Known' },
          { label: 'Newest of it' },
          { label: 'By' },
        ],
        rows: records.map((record) => [
          list([text(kindWord(record.kind)), id(record.id, entityHref(record.kind, record.id))]),
          text(stateOf(record)),
          text(record.absent ? 'not at the service any more' : record.verified ? 'verified' : 'not verified'),
          time(record.knownAt),
          quiet(`${words(record.knownBy.type)} ${record.knownBy.ref}`),
        ]),
        empty: { title: 'No record then', text: 'No payment named this order yet.' },
      },
    ],
  };
}

function stateOf({ fields }: RecordAsOf): string {
  const states = [fields['status'], fields['irregularStatus']].flatMap((state) =>
    typeof state === 'string' && state !== 'none' ? [words(state)] : [],
  );
  return states.length === 0 ? 'unknown' : states.join(', ');
}

function timelineOf({ timeline }: OrderAsOf, req: PageRequest): Section {
  return {
    is: 'panel',
    title: 'The timeline until then, oldest first',
    sections: [
      {
        is: 'timeline',
        sides: ['Webhooks said', 'The service’s lists showed'],
        steps: timelineSteps(timeline, req.actor),
        empty: 'Nothing happened to this order yet.',
      },
    ],
  };
}
