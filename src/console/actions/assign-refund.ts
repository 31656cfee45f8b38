import { z } from 'zod';
import { rulesOf } from '../../domain/orders/order-facts.js';
import { adoptedAtOf } from '../../records/installation.js';
import { assignRefund } from '../../records/orders/assign-refund.js';
import type { Action } from '../page.js';
import { inPath } from '../view/links.js';
import { noOrYes } from '../view/sections.js';

const NONE = 'none';

export const assignRefundAction: Action = {
  path: '/payouts/:id/assign',
  name: 'assign refund',
  roles: ['operator'],
  label: 'Say whose refund it is',
  explain:
    'It counts before what the service’s records say, and the orders that it concerns are derived anew at once. It can be said again; the newest counts.',
  fields: [
    {
      name: 'payment',
      label: 'Payment',
      required: true,
      hint: 'The id of the payment that it gives back, such as pi_1; or none: it gives no payment back.',
    },
    noOrYes('force', 'Although a call of ours named another payment', [
      'no',
      'yes: it frees an order that was refunded',
    ]),
  ],
  input: z.object({
    force: z.enum(['no', 'yes']).default('no'),
    payment: z.string().trim().min(1, 'takes the id of a payment, or none').max(1_000),
  }),
  run: async ({ db, ...deps }, { actor, params, input, reason }) => {
    const payoutId = params['id'] ?? '';
    const payment = String(input['payment']);
    const paymentIntentId = payment === NONE ? null : payment;
    const adoptedAt = await adoptedAtOf(db);
    const force = input['force'] === 'yes';
    const given = { payoutId, paymentIntentId, note: reason, force, actor: actor.name };
    const result = await assignRefund(db, given, { ...rulesOf(deps), adoptedAt });
    const target = `payout ${payoutId.slice(0, 200)}`;
    if (result.outcome === 'refused') {
      const refusal = { target, outcome: 'refused', message: `${result.message} Nothing was changed.` } as const;
      return result.why === 'no_payout' ? { ...refusal, to: '/payouts' } : refusal;
    }
    const about = { target, to: `/payouts/${inPath(payoutId)}` };
    const message = paymentIntentId === null ? 'It gives no payment back.' : `It gives ${paymentIntentId} back.`;
    return { ...about, outcome: 'done', message, details: { before: result.before } };
  },
};
