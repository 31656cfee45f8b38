import type { Knex } from 'knex';
import { namedReferences } from '../../records/orders/find-references.js';
import { listOrders } from '../../records/orders/orders.js';
import type { Page, PageRequest } from '../page.js';
import { orderHref } from '../view/links.js';
import { orderBadge, orderStatuses, releaseBadge } from '../view/order-words.js';
import { filters, listTable } from '../view/sections.js';
import { amount, count, id, time } from '../view/values.js';

async function queryOf(db: Knex, { filters: { status, reference }, cursor }: PageRequest) {
  return { status, reference: reference === undefined ? undefined : await namedReferences(db, [reference]), cursor };
}

export const orders: Page = {
  path: '/orders',
  title: 'Orders',
  group: 'Records',
  filters: ['status', 'reference'],
  load: async ({ db, now }, req) => ({
    intro: 'What the store sold, what was paid for it, and whether the goods may go out.',
    sections: [
      filters(req, [
        { name: 'reference', label: 'Reference', hint: 'the whole of it' },
        { name: 'status', label: 'Status', options: orderStatuses },
      ]),
      listTable(req, await listOrders(db, await queryOf(db, req)), {
        caption: 'Orders, newest first',
        columns: [
          ['Reference', ({ reference }) => id(reference, orderHref(reference))],
          ['Status', ({ status }) => orderBadge(status)],
          ['Goods', ({ release }) => releaseBadge(release)],
          ['Expected', ({ expected }) => amount(expected?.amount, expected?.currency), 'end'],
          ['Payments', ({ paymentIntents }) => count(paymentIntents.length), 'end'],
          ['Last change', ({ updatedAt }) => time(updatedAt, now())],
        ],
        unfit: ['No order fits', 'References count byte for byte, upper and lower case too.'],
        empty: ['No orders yet', 'An order appears with its first payment, or when the store registers it.'],
      }),
    ],
  }),
};
