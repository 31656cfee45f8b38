import { z } from 'zod';
import { rulesOf } from '../../domain/orders/order-facts.js';
import { described } from '../../domain/views/parts.js';
import { adoptedAtOf } from '../../records/installation.js';
import { assignRefund } from '../../records/orders/assign-refund.js';
import { Problem } from '../problem.js';
import { keepAction, note } from './keep-action.js';
import { type Operation, operation } from './operation.js';

const assigned = z
  .object({
    payoutId: described(z.string(), 'The payout.', 'po_1'),
    paymentIntentId: described(z.string().nullable(), 'The payment that it gives back; null: none.', 'pi_1'),
    before: described(z.string().nullable(), 'The payment that it counted with until now; null: none.', null),
    orders: described(z.array(z.string()), 'References of the orders that were derived anew.', ['A-1001']),
  })
  .meta({ id: 'RefundAssigned', description: 'Whose refund a payout is, as a person said.' });

const assignOperation = operation({
  id: 'assignRefund',
  method: 'post',
  path: '/payouts/{id}/assign',
  group: 'Orders',
  summary: 'Say whose refund a payout is',
  description:
    'A person\u2019s decision: it counts before what the service\u2019s records say, and the orders that it concerns are derived anew at once. The newest counts.',
  roles: ['operator'],
  params: { id: { description: 'The payout\u2019s id.', example: 'po_1' } },
  body: z.strictObject({
    paymentIntentId: described(
      z.string().min(1).max(1_000).nullable(),
      'The payment that it gives back; null: it gives none back.',
      'pi_1',
    ),
    force: described(
      z.boolean().default(false),
      'Although a call of our own named another payment: it frees an order that was refunded.',
    ),
    note,
  }),
  answers: { 200: { description: 'It counts so now.', shape: assigned } },
  refusals: {
    404: 'The payout is not known here, or the service has not shown the payment.',
    409: 'The payment received another asset than the payout sends; or a call of our own named another payment, and `force` is not set.',
  },
  answer: async ({ db, log, ...deps }, { actor, params: { id: payoutId }, body }) => {
    const { paymentIntentId, force, note: reason } = body;
    const adoptedAt = await adoptedAtOf(db);
    const result = await db.transaction(async (trx) => {
      const given = { payoutId, paymentIntentId, force, note: reason, actor: actor.name };
      const done = await assignRefund(trx, given, { ...rulesOf(deps), adoptedAt });
      const isDone = done.outcome === 'assigned';
      await keepAction({ db: trx, log }, actor, {
        action: 'assign refund',
        target: `payout ${payoutId.slice(0, 200)}`,
        reason,
        details: { paymentIntentId, force, ...(isDone ? { before: done.before } : { refused: done.why }) },
        outcome: isDone ? 'done' : 'refused',
      });
      return done;
    });
    if (result.outcome === 'refused') {
      const isThere = result.why === 'other_asset' || result.why === 'own_call';
      throw new Problem(isThere ? 409 : 404, isThere ? 'Conflict' : 'Not found', result.message.slice(0, 400));
    }
    const orders = result.orders.map(({ reference }) => reference);
    return { body: { payoutId, paymentIntentId, before: result.before, orders } };
  },
});

export const refundOperations: readonly Operation[] = [assignOperation];
