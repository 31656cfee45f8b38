import type { JsonObject } from '../../domain/json.js';
import { toJsonText } from '../../domain/json-text.js';
import { type OrderStory, orderStory } from '../../records/orders/order-story.js';
import type { RecordView } from '../../records/rows.js';
import type { Page, PageRequest } from '../page.js';
import { eventHref, inPath, orderHref } from '../view/links.js';
import { orderStatusTone, releaseReason } from '../view/order-words.js';
import { recordFor } from '../view/personal.js';
import type { Section } from '../view/sections.js';
import { storySteps } from '../view/story-steps.js';
import { amount, badge, id, link, list, none, text, time, type Value, words } from '../view/values.js';

export const order: Page = {
  path: '/orders/:reference',
  title: 'Order',
  load: async ({ db, now }, req) => {
    const story = await orderStory(db, req.params['reference'] ?? '');
    if (story === null) return null;
    const { reference, status } = story.order;
    return {
      title: reference,
      badges: [badge(words(status), orderStatusTone(status))],
      crumbs: [{ text: 'Orders', href: '/orders' }],
      sections: [
        releaseNotice(story),
        ...similarNotice(story),
        factsOf(story, now()),
        recordsOf(story, req),
        {
          is: 'panel',
          title: 'The story, oldest first',
          intro: 'What events said stands on the left, what the service’s own lists showed on the right.',
          sections: [
            {
              is: 'timeline',
              sides: ['Webhooks said', 'The service’s lists showed'],
              steps: storySteps(story.timeline, req.actor),
              empty: 'Nothing happened to this order yet.',
            },
          ],
        },
      ],
    };
  },
};

function releaseNotice({ order: { release } }: OrderStory): Section {
  if (release.safe) {
    return { is: 'notice', tone: 'good', title: 'Safe to release the goods', text: releaseReason(release.reason) };
  }
  return { is: 'notice', tone: 'warn', title: 'Hold the goods', text: releaseReason(release.reason) };
}

function similarNotice({ order: { similarReferences } }: OrderStory): Section[] {
  const [first] = similarReferences;
  if (first === undefined) return [];
  const text = `Not to be mistaken for ${similarReferences.map((other) => `“${other}”`).join(', ')}: upper and lower case count.`;
  return [
    {
      is: 'notice',
      tone: 'info',
      title: 'A similar reference',
      text,
      link: { text: `Order ${first}`, href: orderHref(first) },
    },
  ];
}

function factsOf({ order: found }: OrderStory, now: Date): Section {
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

/** All that the order is made of, read or only named. */
function recordsOf(story: OrderStory, req: PageRequest): Section {
  const { order: found } = story;
  const rows = [
    ...rowsOf('payment', '/payments', { read: story.paymentIntents, named: found.paymentIntents }, req),
    ...rowsOf('deposit', null, { read: story.payins, named: [] }, req),
    ...rowsOf('invoice', '/invoices', { read: story.invoices, named: found.invoices }, req),
    ...rowsOf('refund', '/payouts', { read: story.refunds, named: found.refunds }, req),
  ];
  return {
    is: 'panel',
    title: 'Made of',
    sections: [
      {
        is: 'table',
        caption: 'Records of this order',
        columns: [{ label: 'Record' }, { label: 'State' }, { label: 'Known by' }, { label: 'Amount', align: 'end' }],
        rows,
        empty: { title: 'No record yet', text: 'No payment names this order.' },
      },
    ],
  };
}

const kinds = { payment: 'payment_intent', deposit: 'payin', invoice: 'invoice', refund: 'payout' } as const;

function rowsOf(
  what: keyof typeof kinds,
  path: string | null,
  { read, named }: { read: readonly RecordView[]; named: readonly string[] },
  req: PageRequest,
): Value[][] {
  const href = (own: string) => (path === null ? undefined : `${path}/${inPath(own)}`);
  const unread = named.filter((own) => read.every((record) => record.id !== own));
  return [
    ...read.map((record) => [
      list([text(what), id(record.id, href(record.id))]),
      typeof record['status'] === 'string' ? badge(words(record['status'])) : none('unknown'),
      howKnown(record),
      amountOf(recordFor(req.actor, kinds[what], record)),
    ]),
    ...unread.map((own) => [list([text(what), id(own, href(own))]), none('not read yet'), none(), none()]),
  ];
}

function howKnown({ verified, absentSince, observedBy }: RecordView): Value {
  if (absentSince !== null) return badge('not at the service', 'bad');
  if (verified) return badge('verified', 'good');
  if (observedBy.type === 'webhook') {
    return list([badge('said by', 'info'), link(`event ${observedBy.ref}`, eventHref(observedBy.ref))]);
  }
  return badge(`said by ${words(observedBy.type)}`, 'info');
}

function amountOf(fields: JsonObject): Value {
  const value = ['amountRequested', 'amount']
    .map((name) => fields[name])
    .find((found) => found !== undefined && found !== null);
  const unit = ['currencyRequested', 'currency', 'assetCode']
    .map((name) => fields[name])
    .find((found) => typeof found === 'string');
  return value === undefined
    ? none()
    : amount(typeof value === 'string' ? value : toJsonText(value), typeof unit === 'string' ? unit : null);
}
