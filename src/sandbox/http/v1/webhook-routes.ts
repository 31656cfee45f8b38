import { Router } from 'express';
import { invalid, Refusal } from '../../base/refusal.js';
import { deliveryJson } from '../../webhooks/delivery.js';
import { endpointRecord } from '../../webhooks/endpoints.js';
import { sendJson } from '../answer.js';
import { readQuery } from '../request-query.js';
import type { V1Deps } from './payment-intent-routes.js';

const OTHER_FILTERS = ['payoutId', 'depositId', 'accountId'];
const PARAMETERS = ['take', 'cursor', 'paymentIntentId', 'endpointId', ...OTHER_FILTERS];

/** Specification 4.21, 4.22. */
export function webhookRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();

  router.get('/webhook-endpoints', (request, response) => {
    const { webhooks } = authenticate(request).account;
    if (!service.faults.businessAccount) throw new Refusal(403, 'FORBIDDEN', 'reserved for business accounts');
    response.json(webhooks.endpoints.list().map(endpointRecord));
  });

  router.get('/webhook-endpoints/deliveries', (request, response) => {
    const { webhooks } = authenticate(request).account;
    const { names, unknownParameters } = service.faults;
    const query = readQuery(request, PARAMETERS, { names: names.deliveries, unknownParameters });
    const page = webhooks.log.page({
      take: query.take(50),
      cursor: query.text('cursor') ?? null,
      paymentIntentId: query.text('paymentIntentId'),
      endpointId: query.text('endpointId'),
      nothing: OTHER_FILTERS.some((name) => query.text(name) !== undefined),
    });
    if (!page) throw invalid('cursor is invalid');
    sendJson(
      response,
      `{"items":[${page.items.map(deliveryJson).join(',')}],"nextCursor":${JSON.stringify(page.nextCursor)}}`,
    );
  });

  return router;
}
