import type { Knex } from 'knex';
import { asOfMoment } from '../../domain/books/as-of.js';
import { todayIn } from '../../domain/books/match/ageing.js';
import type { MatchView } from '../../domain/books/match/match-shapes.js';
import { capitalized, words } from '../../domain/in-words.js';
import type { JsonObject } from '../../domain/json.js';
import {
  ownCallWords,
  passedOverWords,
  reasonWords,
  releaseReasons,
  unlinkedWords,
} from '../../domain/orders/reason-words.js';
import { referenceDifference } from '../../domain/reference-skeleton.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { listMatches } from '../../records/books/match/list-matches.js';
import { orderAsOf } from '../../records/orders/order-as-of.js';
import { type OrderDetails, orderDetails } from '../../records/orders/order-details.js';
import { listOrders, namedReferences } from '../../records/orders/orders.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { checkRange, oneOf } from '../problem.js';
import { statesOf } from '../records/record-rows.js';
import { breaksOf } from '../view/break-rows.js';
import { fieldLabel, fieldValue } from '../view/field-value.js';
import { entityHref, orderHref, withQuery } from '../view/links.js';
import { expectedOf, orderBadge, orderStatuses, releaseBadge } from '../view/order-words.js';
import { recordFor } from '../view/personal.js';
import { howKnown } from '../view/record-words.js';
import {
  calm,
  factsPanel,
  filters,
  listTable,
  notice,
  options,
  panel,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { timelinePanel } from '../view/timeline-steps.js';
import { ago, amount, count, id, link, list, none, quiet, stack, text, type Value } from '../view/values.js';
import { matchBadge, sideOf } from './match.js';
import { orderAsOfView } from './order-as-of.js';

const goodsOptions = [
  { value: 'safe', text: 'safe to release' },
  { value: 'hold', text: 'hold' },
  { value: 'paid_held', text: 'paid, on hold' },
];

async function queryOf(db: Knex, { filters, slice }: PageRequest) {
  const { status, reference, goods, reason, assetCode, receivedFrom, receivedTo } = filters;
  const received = { assetCode, receivedFrom, receivedTo };
  checkRange(received);
  return {
    ...slice,
    ...received,
    status: status,
    reference: reference === undefined ? undefined : await namedReferences(db, [reference]),
    safe: goods === undefined ? undefined : goods === 'safe',
    paidAndHeld: goods === 'paid_held',
    reason: oneOf('reason', releaseReasons, reason),
  };
}

export const orders: Page = {
  path: '/orders',
  title: 'Orders',
  group: 'Records',
  list: { rows: orderRows },
  filters: [
    { name: 'reference', label: 'Reference', hint: 'the whole of it' },
    { name: 'status', label: 'Status', options: orderStatuses },
    { name: 'goods', label: 'Goods', options: goodsOptions },
    { name: 'reason', label: 'Why', options: options(releaseReasons, words) },
    { name: 'assetCode', label: 'Received in', hint: 'an asset, such as BTC' },
    { name: 'receivedFrom', label: 'Received, from', hint: '0.5' },
    { name: 'receivedTo', label: 'Received, up to', hint: '2' },
  ],
  load: async (deps, req) => ({
    intro: 'What the store sold, what was paid for it, and whether the goods may go out.',
    sections: [
      filters(req, {
        views: {
          'Paid, on hold': { goods: 'paid_held' },
          'Safe to release': { goods: 'safe' },
          'Only reported': { status: 'paid_unverified' },
        },
      }),
      await orderRows(deps, req),
    ],
  }),
};

async function orderRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  return listTable(req, await listOrders(db, await queryOf(db, req)), {
    caption: 'Orders, newest first',
    columns: [
      ['Reference', ({ reference }) => id(reference, orderHref(reference))],
      ['Status', ({ status }) => orderBadge(status)],
      ['Goods', ({ release }) => releaseBadge(release)],
      ['Why', ({ release }) => (release.safe ? none('') : quiet(words(release.reason)))],
      ['Expected', ({ expected }) => amount(expected?.amount, expected?.currency), 'end'],
      ['Received', ({ received }) => amount(received?.amount, received?.currency), 'end'],
      ['Payments', ({ paymentIntents }) => count(paymentIntents.length), 'end'],
      ['Last change', ({ updatedAt }) => ago(updatedAt)],
    ],
    unfit: ['No order fits', 'References count byte for byte, upper and lower case too.'],
    empty: ['No orders yet', 'An order appears with its first payment, or when the store registers it.'],
  });
}

export const order: Page = {
  path: '/orders/:reference',
  title: 'Order',
  filters: [{ name: 'asOf', label: 'As it was known at', hint: '2026-10-31T18:00Z' }],
  load: async ({ db, now, books: { timeZone }, payoutWords }, req) => {
    const asked = req.params['reference'] ?? '';
    const { asOf } = req.filters;
    if (asOf !== undefined) {
      const moment = asOfMoment(asOf, timeZone);
      return orderAsOfView(moment === null ? 'not_a_time' : await orderAsOf(db, asked, moment), asked, req);
    }
    const details = await orderDetails(db, asked, { payoutWords });
    if (details === null) return null;
    const { reference, status, release } = details.order;
    const matches = await listMatches(db, { id: reference }, { today: todayIn(timeZone, now()), timeZone });
    const matched = matches.items.find(({ kind }) => kind === 'order') ?? null;
    const booked = booksOf(reference, matched, details);
    return {
      title: reference,
      badges: [orderBadge(status)],
      sections: [
        notice(
          release.safe ? 'good' : 'warn',
          release.safe ? 'Safe to release the goods' : 'Hold the goods',
          reasonWords(release.reason),
        ),
        ...refundNotices(details),
        ...similarPanel(details),
        ...breaksOf(details.breaks),
        factsOf(details),
        recordsOf(details, req),
        ...(matched?.state === 'matched' ? calm('what is booked', [booked]) : [booked]),
        timelinePanel('The timeline, oldest first', details.timeline, {
          actor: req.actor,
          intro: 'What events said stands on the left, what the service’s own lists showed on the right.',
          empty: 'Nothing happened to this order yet.',
        }),
        ...calm('it as it was known', [filters(req)]),
      ],
    };
  },
};

/** Refunds of which a person has to say what came of them, or whose they are. */
function refundNotices({ openCalls, unlinked, reported }: OrderDetails): Section[] {
  const open = openCalls.filter(({ key }) => unlinked.every((one) => one.call?.key !== key));
  return [
    ...open.map((call) => {
      const sentence = `It asked to give ${call.paymentIntentId} back, and ${ownCallWords(call, call.objectId)}.`;
      return notice('warn', `Our own call ${call.key} has no known end`, sentence);
    }),
    ...unlinked.map(({ id: own, call }) => {
      const sentence = `${capitalized(unlinkedWords(own, call))}.`;
      const to = { text: 'The payout', href: entityHref('payout', own) };
      return notice('warn', `${own} may give this order’s money back`, sentence, to);
    }),
    ...reported.passedOver.map((one) => {
      const to = { text: 'Secrets', href: '/secrets' };
      return notice('warn', 'Reports of refunds are passed over', `${passedOverWords(one)}.`, to);
    }),
  ];
}

/** Each with the characters in which it differs: to the eye they may be the same. */
function similarPanel({ order: { reference, similarReferences } }: OrderDetails): Section[] {
  if (similarReferences.length === 0) return [];
  const differences = similarReferences.map((other) => ({ other, ...referenceDifference(reference, other) }));
  const similar = table(differences, {
    caption: 'Similar references',
    showCaption: false,
    columns: [
      ['Reference', ({ other }) => id(other, orderHref(other))],
      ['Here', ({ here }) => text(here)],
      ['There', ({ there }) => text(there)],
    ],
  });
  const intro = 'Other orders whose references look like this one’s. References count byte for byte.';
  return [panel('Not to be mistaken for', [similar], { intro })];
}

function factsOf({ order }: OrderDetails): Section {
  const { reference, expected, received, registeredAt, createdAt, release, updatedAt } = order;
  return factsPanel('The order', [
    ['Reference', id(reference)],
    ['Expected by the store', expectedOf(expected)],
    ['Received', amount(received?.amount, received?.currency)],
    ['Registered', ago(registeredAt)],
    ['First seen', ago(createdAt)],
    ['Proven', ago(release.provenAt)],
    ['Last change', ago(updatedAt)],
    ['Events', link('that name it or its records', withQuery('/events', { reference }))],
  ]);
}

/** What was asked, paid and booked of it, and where that can be followed. */
function booksOf(reference: string, matched: MatchView | null, { paymentIntents }: OrderDetails): Section {
  const sides = (side: 'asked' | 'paid' | 'booked') => (matched === null ? none() : sideOf(matched, side));
  const onMatch = link('on the page Match', withQuery('/match', { id: reference }));
  const state =
    matched === null ? none('not matched yet: that is done once a minute') : list([matchBadge(matched.state), onMatch]);
  return factsPanel('In the books', [
    ['Match', state],
    ['Why', stack(matched?.reasons.map(({ told }) => text(told)) ?? [])],
    ['Asked', sides('asked')],
    ['Paid', sides('paid')],
    ['Booked', sides('booked')],
    ['Ledger', stack(paymentIntents.map(({ id }) => link(`entries of ${id}`, withQuery('/ledger', { recordId: id }))))],
  ]);
}

const rowFields = {
  payment: { kind: 'payment_intent', asked: 'amountRequested', moved: 'totalAmountReceived', more: [] },
  payin: { kind: 'payin', asked: null, moved: 'amountGross', more: ['kytStatus', 'confirmations', 'txid'] },
  invoice: { kind: 'invoice', asked: 'amount', moved: null, more: [] },
  refund: { kind: 'payout', asked: null, moved: 'amount', more: ['failureReason', 'txid'] },
} as const;

interface Row {
  what: keyof typeof rowFields;
  id: string;
  /** Null: it is only named, and was not read yet. */
  record: RecordView | null;
  /** As the actor may see them. */
  fields: JsonObject;
}

function recordsOf(details: OrderDetails, { actor }: PageRequest): Section {
  const { order: found, reported } = details;
  const rowsOf = (what: Row['what'], read: readonly RecordView[], named: readonly string[] = []): Row[] => {
    const unread = named.filter((own) => read.every(({ id }) => id !== own));
    return [
      ...read.map((record) => {
        return { what, id: record.id, record, fields: recordFor(actor, rowFields[what].kind, record) };
      }),
      ...unread.map((id) => ({ what, id, record: null, fields: {} })),
    ];
  };
  const rows = [
    ...rowsOf('payment', details.paymentIntents, found.paymentIntents),
    ...rowsOf('payin', details.payins),
    ...rowsOf('invoice', details.invoices, found.invoices),
    ...rowsOf('refund', details.refunds, found.refunds),
    ...rowsOf('payment', reported.paymentIntents),
    ...rowsOf('refund', reported.refunds),
  ];
  const records = table(rows, {
    caption: 'Records of this order',
    showCaption: false,
    onPhone: 'folded',
    columns: [
      ['Record', ({ what, id: own }) => list([text(what), id(own, entityHref(rowFields[what].kind, own))])],
      ['State', ({ record }) => (record === null ? none('not read yet') : list(statesOf(record), 'unknown'))],
      ['Known', ({ record }) => (record === null ? none() : howKnown(record))],
      ['Asked', (row) => fieldOf(row, rowFields[row.what].asked), 'end'],
      ['Moved', (row) => fieldOf(row, rowFields[row.what].moved), 'end'],
      ['More', moreOf],
    ],
    empty: ['No record yet', 'No payment names this order.'],
  });
  return panel('Made of', [records]);
}

function fieldOf({ what, fields }: Row, name: string | null): Value {
  return name === null ? none() : fieldValue(rowFields[what].kind, fields, name);
}

function moreOf(row: Row): Value {
  const { kind, more } = rowFields[row.what];
  const shown = more.filter((name) => (row.fields[name] ?? null) !== null);
  return stack(shown.map((name) => list([quiet(fieldLabel(kind, name)), fieldOf(row, name)])));
}
