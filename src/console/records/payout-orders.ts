import { defaultPayoutWords } from '../../domain/family/links.js';
import { unlinkedWords } from '../../domain/orders/own-call-words.js';
import type { OrderView } from '../../domain/views/order-shapes.js';
import { type OpenRefund, openRefundsAmong, ordersOfPayouts } from '../../records/orders/list-open-refunds.js';
import { getOrder } from '../../records/orders/orders.js';
import type { PageDeps } from '../page-deps.js';
import { orderHref } from '../view/links.js';
import { orderStatusTone, releaseBadge, releaseReason } from '../view/order-words.js';
import type { Section } from '../view/sections.js';
import { badge, id, text, words } from '../view/values.js';

const MOST_ORDERS = 20;

/** The orders that a payout concerns, and what ends that it holds them. */
export async function payoutOrders(
  { db, payoutWords = defaultPayoutWords }: Pick<PageDeps, 'db' | 'payoutWords'>,
  payout: string,
): Promise<{ references: string[]; sections: Section[] }> {
  const references = (await ordersOfPayouts(db, [payout])).get(payout) ?? [];
  const found = await Promise.all(references.slice(0, MOST_ORDERS).map((reference) => getOrder(db, reference)));
  const orders = found.filter((order) => order !== null);
  const [open] = await openRefundsAmong(db, payoutWords, [payout]);
  return {
    references,
    sections: [
      ...(open === undefined ? [] : [noticeOf(payout, open)]),
      ...(orders.length === 0 ? [] : [tableOf(orders)]),
    ],
  };
}

function noticeOf(payout: string, { why, call }: Pick<OpenRefund, 'why' | 'call'>): Section {
  const about = { is: 'notice', tone: 'warn' } as const;
  if (why === 'reported') {
    const text = 'It is polled at once. What stays, a person answers: say whose refund it is, above.';
    return { ...about, title: 'Only webhooks say whose refund it is', text };
  }
  const words = unlinkedWords(payout, call).replace(/^./, (first) => first.toUpperCase());
  return { ...about, title: 'Whose refund it is has to be said', text: `${words}.` };
}

function tableOf(orders: readonly OrderView[]): Section {
  return {
    is: 'table',
    caption: 'Orders that it concerns',
    showCaption: true,
    columns: [{ label: 'Order' }, { label: 'Status' }, { label: 'Goods' }, { label: 'Why', wide: true }],
    rows: orders.map(({ reference, status, release }) => [
      id(reference, orderHref(reference)),
      badge(words(status), orderStatusTone(status)),
      releaseBadge(release),
      text(releaseReason(release.reason)),
    ]),
    empty: { title: '', text: '' },
  };
}
