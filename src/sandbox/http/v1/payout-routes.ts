import { Router } from 'express';
import { churnPayouts } from '../../churn.js';
import { createRefund, refundSchema } from '../../payouts/create-refund.js';
import { createWithdrawal, withdrawalSchema } from '../../payouts/create-withdrawal.js';
import { PAYOUT_STATUSES, payoutRecord } from '../../payouts/payout.js';
import { findWallet } from '../../wallets/find-wallet.js';
import type { V1Deps } from '../authenticate.js';
import { createOnce } from '../create-once.js';
import { createPageChurn, readChoice, readPage, readQuery } from '../read-page.js';

/** Specification 4.4, 4.5. */
export function payoutRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();

  router.post('/accounts/:id/payouts', (request, response) => {
    const caller = authenticate(request);
    const { merchant } = caller.account;
    const wallet = findWallet(merchant, request.params.id);
    const { record, replayed } = createOnce(caller, request, {
      operation: 'payout',
      schema: withdrawalSchema,
      debits: true,
      find: (id) => merchant.payouts.get(id),
      make: (body) => createWithdrawal(merchant, wallet, body),
    });
    response.status(replayed ? 200 : 201).json(payoutRecord(record, service.faults.links));
  });

  router.post('/payouts/refund', (request, response) => {
    const caller = authenticate(request);
    const { merchant } = caller.account;
    const { record, replayed } = createOnce(caller, request, {
      operation: 'refund',
      schema: refundSchema,
      debits: true,
      defaultKey: ({ paymentIntentId }) => `refund-${paymentIntentId}`,
      find: (id) => merchant.payouts.get(id),
      make: (body) => createRefund(merchant, body),
    });
    response.status(replayed ? 200 : 201).json(payoutRecord(record, service.faults.links));
  });

  return router;
}

/** The list of payouts, which the specification does not have; where it stands, and whether, is a fault's to say. */
export function payoutListRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();
  const churn = createPageChurn(service, 'payouts');
  router.use((request, response, next) => {
    const { faults } = service;
    if (request.method !== 'GET' || !faults.payoutsList || request.path !== faults.payoutsPath) {
      next();
      return;
    }
    const { merchant } = authenticate(request).account;
    const query = readQuery(request, ['status', 'cursor', 'take'], { faults, list: 'payouts' });
    const status = readChoice(query, 'status', PAYOUT_STATUSES);
    churn(merchant, query.text('cursor'), (n, cursor) => churnPayouts(merchant, cursor, n));
    const matches = (payout: { status: string }): boolean => status === undefined || payout.status === status;
    response.json(readPage(merchant.payouts, { query, faults, matches }).map((row) => payoutRecord(row, faults.links)));
  });
  return router;
}
