import express, { type Express, type RequestHandler } from 'express';
import type { Account } from '../account.js';
import { Refusal } from '../base/refusal.js';
import type { Service } from '../service.js';
import { answerError, answerUnknownPath } from './answer.js';
import { createAuthenticate } from './authenticate.js';
import { misbehave } from './misbehave.js';
import { sandboxPaymentIntentRoutes } from './sandbox/sandbox-payment-intent-routes.js';
import { sandboxServiceRoutes } from './sandbox/sandbox-service-routes.js';
import { sandboxWebhookRoutes } from './sandbox/sandbox-webhook-routes.js';
import { paymentIntentRoutes } from './v1/payment-intent-routes.js';
import { webhookRoutes } from './v1/webhook-routes.js';

export interface AppDeps {
  service: Service;
  own: Account;
  other: Account;
}

/** `/v1` is the service's API; `/sandbox` is what the dashboard and the outside world do, to the first merchant. */
export function createApp({ service, own, other }: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.setHeader('Date', new Date(service.clock.now()).toUTCString());
    next();
  });
  const deps = { service, authenticate: createAuthenticate({ own, other }) };
  app.use('/v1', misbehave(service));
  app.use(express.text({ type: () => true, limit: '1mb' }));
  app.use('/v1', requireJson, paymentIntentRoutes(deps), webhookRoutes(deps));
  app.use('/sandbox', sandboxPaymentIntentRoutes(service, own.merchant));
  app.use('/sandbox', sandboxWebhookRoutes(own), sandboxServiceRoutes(service, own));
  app.use(answerUnknownPath);
  app.use(answerError);
  return app;
}

/** Requests with a body send Content-Type: application/json (specification 4). */
const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody = typeof request.body === 'string' && request.body !== '';
  if (hasBody && !request.is('application/json')) {
    throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json');
  }
  next();
};
