import { defaultPayoutWords } from '../../domain/family/links.js';
import { unlinkedWords } from '../../domain/orders/own-call-words.js';
import type { OrderView } from '../../domain/views/order-shapes.js';
import { type OpenRefund, openRefundsAmong } from '../../records/orders/list-open-refunds.js';
import { getOrder } from '../../records/orders/orders.js';
import { ordersOfPayouts } from '../../records/orders/orders-of-payouts.js';
import type { PageDeps } from '../page-deps.js';
import { orderHref } from '../view/links.js';
import { orderBadge, releaseBadge, releaseReason } from '../view/order-words.js';
import { notice, table } from '../view/pieces.js';
import type { Section } from '../view/sections.js';
import { capitalized, id, text } from '../view/values.js';

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
  if (why === 'reported') {
    const text = 'It is polled at once. What stays, a person answers: say whose refund it is, above.';
    return notice('warn', 'Only webhooks say whose refund it is', text);
  }
  return notice('warn', 'Whose refund it is has to be said', `${capitalized(unlinkedWords(payout, call))}.`);
}

function tableOf(orders: readonly OrderView[]): Section {
  return table(orders, {
    caption: 'Orders that it concerns',
    columns: [
      ['Order', ({ reference }) => id(reference, orderHref(reference))],
      ['Status', ({ status }) => orderBadge(status)],
      ['Goods', ({ release }) => releaseBadge(release)],
      ['Why', ({ release }) => text(releaseReason(release.reason)), 'wide'],
    ],
  });
}
