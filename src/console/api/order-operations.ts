import { z } from 'zod';
import { isAmount } from '../../domain/money.js';
import { registerOrder } from '../../records/orders/orders.js';
import { Problem } from '../problem.js';
import { keepAction } from './keep-action.js';
import { type Operation, operation } from './operation.js';
import { orderShape } from './shapes/order-shapes.js';

const body = z.strictObject({
  amount: z
    .string()
    .refine(isAmount, 'takes a decimal string such as "12.50"')
    .meta({ description: 'A decimal string.', pattern: '^\\d{1,18}(\\.\\d{1,18})?$', examples: ['49.90'] }),
  currency: z
    .string()
    .min(1)
    .max(32)
    .meta({ description: 'Fiat or crypto code.', examples: ['EUR'] }),
});

export const registerOrderOperation: Operation = operation({
  id: 'registerOrder',
  method: 'put',
  path: '/orders/{reference}',
  group: 'Orders',
  summary: 'Register what the store expects',
  description:
    'Before or after the payment is created, as often as wanted: the same amount and currency again change nothing.',
  roles: ['operator'],
  params: { reference: { description: 'The store’s own reference, byte for byte.', example: 'A-1001' } },
  body,
  answers: {
    200: { description: 'It was registered so before.', shape: orderShape },
    201: { description: 'It is registered now.', shape: orderShape },
  },
  refusals: { 409: 'It is registered with another amount or currency, told in `existing`.' },
  answer: async ({ db, log, kytWords }, { actor, params, body: { amount, currency } }) => {
    const reference = params['reference'] ?? '';
    const result = await db.transaction(async (trx) => {
      const registered = await registerOrder(trx, { reference, amount, currency }, kytWords);
      const outcome = registered.outcome === 'conflict' ? 'refused' : 'done';
      const details = { amount, currency, outcome: registered.outcome };
      const target = `order ${reference}`;
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
