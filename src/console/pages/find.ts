import { words } from '../../domain/in-words.js';
import type { Found } from '../../domain/views/find-shapes.js';
import { find } from '../../records/search/find.js';
import type { Page, PageRequest } from '../page.js';
import { entityHref, orderHref } from '../view/links.js';
import { orderBadge, releaseBadge } from '../view/order-words.js';
import { mayKnowPeople } from '../view/personal.js';
import { factsPanel, filters, notice, type Section, table } from '../view/sections.js';
import { ago, badge, id, link, list, none, stack, text, type Value } from '../view/values.js';

export const findPage: Page = {
  path: '/find',
  title: 'Find',
  filters: [{ name: 'q', label: 'Find' }],
  load: async ({ db }, req) => {
    const { q } = req.filters;
    const found = q === undefined ? null : await find(db, q, { knowsPeople: mayKnowPeople(req.actor) });
    return {
      intro: 'A reference, any id, the hash of a transaction, an address, an e-mail, or an explorer’s link.',
      sections: [
        filters(req),
        ...(found === null ? [] : [...found.orders.map((order) => orderPanel(order, found)), itemsOf(found, req)]),
        ...(found?.more ? [notice('info', 'There is more', 'Give more of the text.')] : []),
      ],
    };
  },
};

function orderPanel(order: Found['orders'][number], { deliveriesReadAt: readAt }: Found): Section {
  const { reference, status, release, says, paymentIntents, payins, deliveries } = order;
  const ids = (kind: 'payment_intent' | 'payin' | 'delivery', all: readonly string[]): Value =>
    stack(all.map((own) => id(own, entityHref(kind, own))));
  const noDelivery =
    readAt === null ? none('the history was not read yet') : list([text('none; history read'), ago(readAt)]);
  return factsPanel(`Order ${reference}`, [
    ['Order', list([link(reference, orderHref(reference)), orderBadge(status)])],
    ['Goods', releaseBadge(release)],
    ['Why', text(says)],
    ['Payments', ids('payment_intent', paymentIntents)],
    ['Payins', ids('payin', payins)],
    ['Deliveries', deliveries.length === 0 ? noDelivery : ids('delivery', deliveries)],
  ]);
}

function itemsOf({ items }: Found, { actor }: PageRequest): Section {
  const hidden = mayKnowPeople(actor) ? '' : ' Your role finds nothing by what says who somebody is.';
  return table(items, {
    caption: 'Found',
    onPhone: 'brief',
    columns: [
      ['What', ({ kind }) => text(words(kind))],
      ['ID', ({ kind, id: own }) => id(own, entityHref(kind, own))],
      ['Found by', ({ by, exact }) => (exact ? text(words(by)) : list([text(words(by)), badge('begins so')]))],
      [
        'Order',
        ({ orders }) =>
          list(
            orders.map((own) => id(own, orderHref(own))),
            'none',
          ),
      ],
    ],
    empty: [
      'Nothing fits',
      `An address or an e-mail counts as a whole; of anything else four characters are enough.${hidden}`,
    ],
  });
}
