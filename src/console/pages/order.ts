import { asOfMoment } from '../../domain/books/as-of.js';
import { todayIn } from '../../domain/books/match/ageing.js';
import type { MatchView } from '../../domain/books/match/match-shapes.js';
import { ownCallWords, unlinkedWords } from '../../domain/orders/own-call-words.js';
import { referenceDifference } from '../../domain/reference-difference.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { listMatches } from '../../records/books/match/list-matches.js';
import { orderAsOf } from '../../records/orders/order-as-of.js';
import { type OrderDetails, orderDetails } from '../../records/orders/order-details.js';
import type { Page, PageRequest } from '../page.js';
import { fieldLabel, fieldValue } from '../records/field-value.js';
import { breaksOf } from '../records/record-notices.js';
import { statesOf } from '../records/record-rows.js';
import { inPath, orderHref } from '../view/links.js';
import { matchBadge, orderMatchHref } from '../view/match-words.js';
import { orderStatusTone, releaseReason } from '../view/order-words.js';
import { recordFor } from '../view/personal.js';
import { howKnown } from '../view/record-words.js';
import type { Section } from '../view/sections.js';
import { timelineSteps } from '../view/timeline-steps.js';
import { amount, badge, id, link, list, none, quiet, stack, text, time, type Value, words } from '../view/values.js';
import { asOfFilter, orderAsOfView } from './order-as-of.js';

export const order: Page = {
  path: '/orders/:reference',
  title: 'Order',
  filters: ['asOf'],
  load: async ({ db, now, books, payoutWords }, req) => {
    const asked = req.params['reference'] ?? '';
    const { asOf } = req.filters;
    if (asOf !== undefined) {
      const moment = asOfMoment(asOf, books?.timeZone ?? 'UTC');
      return orderAsOfView(moment === null ? 'not_a_time' : await orderAsOf(db, asked, moment), asked, req);
    }
    const details = await orderDetails(db, asked, { payoutWords });
    if (details === null) return null;
    const { reference, status } = details.order;
    const timeZone = books?.timeZone ?? 'UTC';
    const matches = await listMatches(db, { id: reference }, { today: todayIn(timeZone, now()), timeZone });
    const matched = matches.items.find(({ kind }) => kind === 'order') ?? null;
    return {
      title: reference,
      badges: [badge(words(status), orderStatusTone(status))],
      crumbs: [{ text: 'Orders', href: '/orders' }],
      sections: [
        releaseNotice(details),
        ...refundNotices(details),
        ...similarPanel(details),
        ...breaksOf(details.breaks, now()),
        factsOf(details, now()),
        recordsOf(details, req),
        booksOf(reference, matched, details),
        {
          is: 'panel',
          title: 'The timeline, oldest first',
          intro: 'What events said stands on the left, what the service’s own lists showed on the right.',
          sections: [
            {
              is: 'timeline',
              sides: ['Webhooks said', 'The service’s lists showed'],
              steps: timelineSteps(details.timeline, req.actor),
              empty: 'Nothing happened to this order yet.',
            },
          ],
        },
        asOfFilter(req),
      ],
    };
  },
};

function releaseNotice({ order: { release } }: OrderDetails): Section {
  if (release.safe) {
    return { is: 'notice', tone: 'good', title: 'Safe to release the goods', text: releaseReason(release.reason) };
  }
  return { is: 'notice', tone: 'warn', title: 'Hold the goods', text: releaseReason(release.reason) };
}

/** Refunds of which a person has to say what came of them, or whose they are. */
function refundNotices({ openCalls, unlinked }: OrderDetails): Section[] {
  return [
    ...openCalls
      .filter(({ key }) => unlinked.every((one) => one.call?.key !== key))
      .map((call): Section => {
        const sentence = `It asked to give ${call.paymentIntentId} back, and ${ownCallWords(call, call.objectId)}.`;
        return { is: 'notice', tone: 'warn', title: `Our own call ${call.key} has no known end`, text: sentence };
      }),
    ...unlinked.map(({ id: own, call }): Section => {
      const sentence = unlinkedWords(own, call).replace(/^./, (first) => first.toUpperCase());
      const to = { text: 'The payout', href: `/payouts/${inPath(own)}` };
      return {
        is: 'notice',
        tone: 'warn',
        title: `${own} may give this order’s money back`,
        text: `${sentence}.`,
        link: to,
      };
    }),
  ];
}

/** Each with the characters in which it differs: to the eye they may be the same. */
function similarPanel({ order: { reference, similarReferences } }: OrderDetails): Section[] {
  if (similarReferences.length === 0) return [];
  return [
    {
      is: 'panel',
      title: 'Not to be mistaken for',
      intro: 'Other orders whose references look like this one’s. References count byte for byte.',
      sections: [
        {
          is: 'table',
          caption: 'Similar references',
          columns: [{ label: 'Reference' }, { label: 'Here' }, { label: 'There' }],
          rows: similarReferences.map((other) => {
            const { here, there } = referenceDifference(reference, other);
            return [id(other, orderHref(other)), text(here), text(there)];
          }),
          empty: { title: 'None', text: 'No reference looks like this one.' },
        },
      ],
    },
  ];
}

function factsOf({ order: found }: OrderDetails, now: Date): Section {
  const { expected, release } = found;
  return {
    is: 'panel',
    title: 'The order',
    sections: [
      {
        is: 'facts',
        facts: [
          ['Reference', id(found.reference)],
          [
            'Expected by the store',
            expected === null ? none('not registered') : amount(expected.amount, expected.currency),
          ],
          ['Registered', time(found.registeredAt, now)],
          ['First seen', time(found.createdAt, now)],
          ['Proven', time(release.provenAt, now)],
          ['Last change', time(found.updatedAt, now)],
        ],
      },
    ],
  };
}

/** What was asked, paid and booked of it, and where that can be followed. */
function booksOf(reference: string, matched: MatchView | null, { paymentIntents }: OrderDetails): Section {
  const sides = (side: 'asked' | 'paid' | 'booked'): Value =>
    stack(matched?.amounts.flatMap((one) => (one[side] === '0' ? [] : [amount(one[side], one.code)])) ?? []);
  const entries = paymentIntents.map(({ id: own }) =>
    link(`entries of ${own}`, `/ledger?${new URLSearchParams({ recordId: own }).toString()}`),
  );
  return {
    is: 'panel',
    title: 'In the books',
    sections: [
      {
        is: 'facts',
        facts: [
          [
            'Match',
            matched === null
              ? none('not matched yet: that is done once a minute')
              : list([matchBadge(matched.state), link('on the page Match', orderMatchHref(reference))]),
          ],
          ['Why', stack(matched?.reasons.map(({ told }) => text(told)) ?? [])],
          ['Asked', sides('asked')],
          ['Paid', sides('paid')],
          ['Booked', sides('booked')],
          ['Ledger', stack(entries)],
        ],
      },
    ],
  };
}

/** All that the order is made of, read or only named. */
function recordsOf(details: OrderDetails, req: PageRequest): Section {
  const { order: found } = details;
  const rows = [
    ...rowsOf('payment', { read: details.paymentIntents, named: found.paymentIntents }, req),
    ...rowsOf('payin', { read: details.payins, named: [] }, req),
    ...rowsOf('invoice', { read: details.invoices, named: found.invoices }, req),
    ...rowsOf('refund', { read: details.refunds, named: found.refunds }, req),
    ...rowsOf('payment', { read: details.reported.paymentIntents, named: [] }, req),
    ...rowsOf('refund', { read: details.reported.refunds, named: [] }, req),
  ];
  return {
    is: 'panel',
    title: 'Made of',
    sections: [
      {
        is: 'table',
        caption: 'Records of this order',
        columns: [
          { label: 'Record' },
          { label: 'State' },
          { label: 'Known' },
          { label: 'Asked', align: 'end' },
          { label: 'Moved', align: 'end' },
          { label: 'More' },
        ],
        rows,
        empty: { title: 'No record yet', text: 'No payment names this order.' },
      },
    ],
  };
}

interface Named {
  read: readonly RecordView[];
  /** Ids, of which some may not be read yet. */
  named: readonly string[];
}

const rowFields = {
  payment: {
    kind: 'payment_intent',
    path: '/payments',
    asked: 'amountRequested',
    moved: 'totalAmountReceived',
    more: [],
  },
  payin: {
    kind: 'payin',
    path: '/deposits',
    asked: null,
    moved: 'amountGross',
    more: ['kytStatus', 'confirmations', 'txid'],
  },
  invoice: { kind: 'invoice', path: '/invoices', asked: 'amount', moved: null, more: [] },
  refund: { kind: 'payout', path: '/payouts', asked: null, moved: 'amount', more: ['failureReason', 'txid'] },
} as const;

function rowsOf(what: keyof typeof rowFields, { read, named }: Named, req: PageRequest): Value[][] {
  const { kind, path, asked, moved, more } = rowFields[what];
  const name = (own: string) => list([text(what), id(own, `${path}/${inPath(own)}`)]);
  const unread = named.filter((own) => read.every((record) => record.id !== own));
  return [
    ...read.map((record) => {
      const fields = recordFor(req.actor, kind, record);
      const shown = more.filter((field) => (fields[field] ?? null) !== null);
      return [
        name(record.id),
        list(statesOf(record), 'unknown'),
        howKnown(record),
        asked === null ? none() : fieldValue(kind, fields, asked),
        moved === null ? none() : fieldValue(kind, fields, moved),
        stack(shown.map((field) => list([quiet(fieldLabel(kind, field)), fieldValue(kind, fields, field)]))),
      ];
    }),
    ...unread.map((own) => [name(own), none('not read yet'), none(), none(), none(), none()]),
  ];
}
