import { Router } from 'express';
import type { Account } from '../../account.js';
import { optionalText } from '../../base/fields.js';
import { invalid } from '../../base/refusal.js';
import { deliveryJson } from '../../webhooks/delivery.js';
import { endpointRecord } from '../../webhooks/endpoints.js';
import { testSend } from '../../webhooks/test-send.js';
import { sendJson } from '../answer.js';
import { requestBody } from '../request-body.js';

/** The dashboard's endpoint management (specification 4.23). */
export function sandboxWebhookRoutes({ merchant, webhooks }: Account): Router {
  const router = Router();
  const { endpoints } = webhooks;

  router.post('/webhook-endpoints', (request, response) => {
    const { body } = requestBody(request);
    const { url, events } = body;
    if (typeof url !== 'string') throw invalid('url must be a string');
    if (events !== undefined && !isTexts(events)) throw invalid('events must be an array of event types');
    const secret = optionalText(body, 'secret') ?? undefined;
    const endpoint = endpoints.create({ url, events, secret });
    response.status(201).json({ ...endpointRecord(endpoint), secret: endpoint.secret });
  });

  router.patch('/webhook-endpoints/:id', (request, response) => {
    const { isActive } = requestBody(request).body;
    if (typeof isActive !== 'boolean') throw invalid('isActive must be true or false');
    response.json(endpointRecord(endpoints.setActive(request.params.id, isActive)));
  });

  router.delete('/webhook-endpoints/:id', (request, response) => {
    endpoints.remove(request.params.id);
    response.status(204).end();
  });

  router.post('/webhook-endpoints/:id/test', (request, response) => {
    const event = optionalText(requestBody(request).body, 'event') ?? 'payment_intent.completed';
    sendJson(response, deliveryJson(testSend(merchant, webhooks, request.params.id, event)), 201);
  });

  return router;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
