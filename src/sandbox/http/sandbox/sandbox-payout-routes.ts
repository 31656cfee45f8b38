import { Router } from 'express';
import { z } from 'zod';
import { notFound } from '../../base/refusal.js';
import { text } from '../../base/schemas.js';
import { advancePayout } from '../../payouts/advance-payout.js';
import { createDashboardPayout, dashboardPayoutSchema } from '../../payouts/create-dashboard-payout.js';
import { payoutRecord } from '../../payouts/payout-record.js';
import type { Merchant, Service } from '../../service.js';
import { parseBody } from '../parse-body.js';

const payoutStepSchema = z.object({ reason: text(500).optional(), manual: z.boolean().optional() });

/** What operators, compliance and the chain do with payouts. */
export function sandboxPayoutRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();

  router.post('/payouts', (request, response) => {
    const payout = createDashboardPayout(merchant, parseBody(request, dashboardPayoutSchema));
    response.status(201).json(payoutRecord(payout, service.faults.links));
  });

  for (const step of ['approve', 'broadcast', 'confirm', 'review', 'fail'] as const) {
    router.post(`/payouts/:id/${step}`, (request, response) => {
      const payout = merchant.payouts.get(request.params.id ?? '');
      if (!payout) throw notFound('payout');
      const given = parseBody(request, payoutStepSchema);
      const advanced = advancePayout(merchant, payout, { step, ...given });
      response.json(payoutRecord(advanced, service.faults.links));
    });
  }

  return router;
}
