import { z } from 'zod';
import { asOfMoment } from '../../domain/as-of.js';
import { ASSET_CODE } from '../../domain/asset-code.js';
import { amountProblem, currencyProblem, EXPECTED_AMOUNT } from '../../domain/orders/expectation.js';
import { type OrderAsOf, orderAsOf } from '../../records/orders/order-as-of.js';
import { getOrder, registerOrder } from '../../records/orders/orders.js';
import { Problem } from '../problem.js';
import { keepAction } from './keep-action.js';
import { type Operation, operation } from './operation.js';
import { orderAsOfShape } from './shapes/order-as-of-shape.js';
import { orderDetailShape, orderShape } from './shapes/order-shapes.js';

const body = z.strictObject({
  amount: z
    .string()
    .refine((given) => amountProblem(given) === null, { error: ({ input }) => amountProblem(String(input)) })
    .meta({ description: 'A decimal string above zero.', pattern: EXPECTED_AMOUNT, examples: ['49.90'] }),
  currency: z
    .string()
    .refine((given) => currencyProblem(given) === null, { error: ({ input }) => currencyProblem(String(input)) })
    .meta({ description: 'Fiat or crypto code, in upper case.', pattern: ASSET_CODE, examples: ['EUR'] }),
});

const reference = { description: 'The store’s own reference, byte for byte.', example: 'A-1001' };

export const getOrderOperation: Operation = operation({
  id: 'getOrder',
  method: 'get',
  path: '/orders/{reference}',
  group: 'Orders',
  summary: 'One order',
  description: 'With `asOf` as it was known here then: another shape, read from the history of changes.',
  params: { reference },
  query: z.strictObject({
    asOf: z
      .string()
      .max(40)
      .optional()
      .meta({
        description: 'A day (its end in BOOKS_TIMEZONE) or a moment, ISO 8601.',
        examples: ['2026-10-31', '2026-10-31T18:00Z'],
      }),
  }),
  answers: { 200: { description: 'The order.', shape: z.union([orderDetailShape, orderAsOfShape]) } },
  refusals: { 404: 'There is no such record here, or there was none then.' },
  answer: async ({ db, books }, { params, query: { asOf } }) => {
    const asked = params['reference'] ?? '';
    const missing = new Problem(404, 'Not found', `There is no orders record "${asked.slice(0, 80)}" here.`);
    if (asOf === undefined) {
      const order = await getOrder(db, asked);
      if (order === null) throw missing;
      return { body: order };
    }
    const moment = asOfMoment(asOf, books?.timeZone ?? 'UTC');
    if (moment === null)
      throw new Problem(
        400,
        'Bad request',
        'asOf takes a day such as 2026-10-31, or a moment such as 2026-10-31T18:00Z.',
        {
          parameter: 'asOf',
        },
      );
    const result = await orderAsOf(db, asked, moment);
    if (result.outcome === 'not_found') throw missing;
    if (result.outcome === 'not_yet_known')
      throw new Problem(404, 'Not found', `The order was first known here at ${result.firstKnownAt}.`);
    return { body: asOfBody(result.story) };
  },
});

function asOfBody({
  reference: own,
  asOf,
  order,
  toldLater,
  paymentIntents,
  payins,
  invoices,
  refunds,
}: OrderAsOf): object {
  const records = [...paymentIntents, ...payins, ...invoices, ...refunds];
  return { reference: own, asOf, ...order, toldLater, records };
}

export const registerOrderOperation: Operation = operation({
  id: 'registerOrder',
  method: 'put',
  path: '/orders/{reference}',
  group: 'Orders',
  summary: 'Register what the store expects',
  description:
    'Before or after the payment is created, as often as wanted: the same amount and currency again change nothing.',
  roles: ['operator'],
  params: { reference },
  body,
  answers: {
    200: { description: 'It was registered so before.', shape: orderShape },
    201: { description: 'It is registered now.', shape: orderShape },
  },
  refusals: { 409: 'It is registered with another amount or currency, told in `existing`.' },
  answer: async ({ db, log, kytWords }, { actor, params, body: { amount, currency } }) => {
    const own = params['reference'] ?? '';
    const result = await db.transaction(async (trx) => {
      const registered = await registerOrder(trx, { reference: own, amount, currency }, kytWords);
      const outcome = registered.outcome === 'conflict' ? 'refused' : 'done';
      const details = { amount, currency, outcome: registered.outcome };
      const target = `order ${own}`;
      await keepAction({ db: trx, log }, actor, { action: 'register order', target, details, outcome });
      return registered;
    });
    if (result.outcome === 'conflict') {
      throw new Problem(409, 'Conflict', 'The order is registered with another amount or currency.', {
        existing: result.expected,
      });
    }
    return { status: result.outcome === 'created' ? 201 : 200, body: result.order };
  },
});
