import { words } from '../../domain/in-words.js';
import { whyWords } from '../../domain/orders/reason-words.js';
import type { RecordAsOf } from '../../domain/views/order-shapes.js';
import type { OrderAsOf, OrderAsOfResult } from '../../records/orders/order-as-of.js';
import type { PageRequest } from '../page.js';
import { entityHref, orderHref } from '../view/links.js';
import { expectedOf, orderBadge } from '../view/order-words.js';
import { kindWord } from '../view/record-words.js';
import { factsPanel, filters, notice, type PageView, panel, type Section, table } from '../view/sections.js';
import { timelinePanel } from '../view/timeline-steps.js';
import { badge, id, list, quiet, text, time } from '../view/values.js';

/** An order's page as of a time; null: there is no such order. */
export function orderAsOfView(
  result: OrderAsOfResult | 'not_a_time',
  reference: string,
  req: PageRequest,
): PageView | null {
  const about = { title: reference, crumbs: [{ text: reference, href: orderHref(reference) }] };
  if (result === 'not_a_time') {
    const said = 'Accepted is a day such as 2026-10-31, which means its end, or a moment such as 2026-10-31T18:00Z.';
    return { ...about, sections: [filters(req), notice('warn', 'That is no time', said)] };
  }
  if (result.outcome === 'not_found') return null;
  if (result.outcome === 'not_yet_known') {
    const said = `It was first known here at ${result.firstKnownAt}.`;
    return { ...about, sections: [filters(req), notice('info', 'Not known then', said)] };
  }
  const { details } = result;
  const { expected, release, status } = details.order;
  const goods = badge(release.safe ? 'release' : 'hold', release.safe ? 'good' : 'warn');
  return {
    ...about,
    badges: status === null ? [] : [orderBadge(status)],
    sections: [
      filters(req),
      noticeOf(details),
      factsPanel('The order then', [
        ['Reference', id(reference)],
        ['Expected by the store', expectedOf(expected)],
        ['Goods', list([goods, quiet(whyWords(release.reason))])],
      ]),
      panel('Made of, then', [recordsOf(details)]),
      timelinePanel('The timeline until then, oldest first', details.timeline, {
        actor: req.actor,
        empty: 'Nothing happened to this order yet.',
      }),
    ],
  };
}

function noticeOf({ asOf, toldLater: { changes, firstKnownAt } }: OrderAsOf): Section {
  const later =
    changes === 0
      ? 'Nothing that the service dates by then came to be known later.'
      : `${changes} changes that the service dates by then came to be known later, the first at ${firstKnownAt}: they are not shown.`;
  const said = `Known is not happened: this is what had been reported or read by then. ${later} Personal data stands as digests.`;
  return notice('info', `As it was known here at ${asOf}`, said);
}

function recordsOf({ paymentIntents, payins, invoices, refunds }: OrderAsOf): Section {
  return table([...paymentIntents, ...payins, ...invoices, ...refunds], {
    caption: 'Records of this order as they were known',
    showCaption: false,
    columns: [
      ['Record', ({ kind, id: own }) => list([text(kindWord(kind)), id(own, entityHref(kind, own))])],
      ['State', (record) => text(stateOf(record))],
      [
        'Known',
        ({ absent, verified }) => text(absent ? 'not at the service any more' : verified ? 'verified' : 'not verified'),
      ],
      ['Newest of it', ({ knownAt }) => time(knownAt)],
      ['By', ({ knownBy }) => quiet(`${words(knownBy.type)} ${knownBy.ref}`)],
    ],
    empty: ['No record then', 'No payment named this order yet.'],
  });
}

function stateOf({ fields }: RecordAsOf): string {
  const states = [fields['status'], fields['irregularStatus']].flatMap((state) =>
    typeof state === 'string' && state !== 'none' ? [words(state)] : [],
  );
  return states.length === 0 ? 'unknown' : states.join(', ');
}
