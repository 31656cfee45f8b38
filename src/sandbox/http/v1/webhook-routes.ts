import { Router } from 'express';
import { invalid, Refusal } from '../../base/refusal.js';
import { deliveryJson } from '../../webhooks/delivery.js';
import { endpointRecord } from '../../webhooks/endpoints.js';
import { sendJson } from '../answer.js';
import type { V1Deps } from '../authenticate.js';
import { readQuery } from '../read-page.js';

const FILTERS = ['paymentIntentId', 'payoutId', 'depositId', 'accountId', 'endpointId'] as const;
const PARAMETERS = ['take', 'cursor', ...FILTERS];

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
    const query = readQuery(request, PARAMETERS, { faults: service.faults, list: 'deliveries' });
    const page = webhooks.log.page({
      take: query.take(50),
      cursor: query.text('cursor') ?? null,
      filter: Object.fromEntries(FILTERS.map((name) => [name, query.text(name)])),
    });
    if (!page) throw invalid('cursor is invalid');
    sendJson(
      response,
      `{"items":[${page.items.map(deliveryJson).join(',')}],"nextCursor":${JSON.stringify(page.nextCursor)}}`,
    );
  });

  return router;
}
