import { listOrders } from '../../records/orders/orders.js';
import type { Page } from '../page.js';
import { orderHref, paging } from '../view/links.js';
import { orderStatuses, orderStatusTone, releaseBadge } from '../view/order-words.js';
import { amount, badge, count, id, time, words } from '../view/values.js';

export const orders: Page = {
  path: '/orders',
  title: 'Orders',
  group: 'Records',
  filters: ['status', 'reference'],
  load: async ({ db, now }, req) => {
    const { status, reference } = req.filters;
    const { items, nextCursor } = await listOrders(db, { status, reference, cursor: req.cursor });
    const at = now();
    return {
      intro: 'What the store sold, what was paid for it, and whether the goods may go out.',
      sections: [
        {
          is: 'filters',
          path: req.path,
          active: Object.keys(req.filters).length > 0,
          fields: [
            { name: 'reference', label: 'Reference', value: reference ?? '', hint: 'the whole of it' },
            { name: 'status', label: 'Status', value: status ?? '', options: orderStatuses },
          ],
        },
        {
          is: 'table',
          caption: 'Orders, newest first',
          columns: [
            { label: 'Reference' },
            { label: 'Status' },
            { label: 'Goods' },
            { label: 'Expected', align: 'end' },
            { label: 'Payments', align: 'end' },
            { label: 'Last change' },
          ],
          rows: items.map((order) => [
            id(order.reference, orderHref(order.reference)),
            badge(words(order.status), orderStatusTone(order.status)),
            releaseBadge(order.release),
            amount(order.expected?.amount, order.expected?.currency),
            count(order.paymentIntents.length),
            time(order.updatedAt, at),
          ]),
          empty:
            Object.keys(req.filters).length > 0
              ? { title: 'No order fits', text: 'References count byte for byte, upper and lower case too.' }
              : {
                  title: 'No orders yet',
                  text: 'An order appears with its first payment, or when the store registers it.',
                },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};
