import express, { type Express, type RequestHandler } from 'express';
import type { Account } from '../account.js';
import { ASSETS } from '../assets/assets.js';
import { notFound, Refusal } from '../base/refusal.js';
import type { Service } from '../service.js';
import { answerUnknownPath, createAnswerError } from './answer.js';
import { createAuthenticate } from './authenticate.js';
import { distortLists } from './distort-lists.js';
import { misbehave } from './misbehave.js';
import { refuseStrangers } from './refuse-strangers.js';
import { sandboxPaymentIntentRoutes } from './sandbox/sandbox-payment-intent-routes.js';
import {
  sandboxInvoiceRoutes,
  sandboxPayoutRoutes,
  sandboxProductRoutes,
  sandboxSettlementRoutes,
  sandboxWalletRoutes,
  sandboxWebhookRoutes,
} from './sandbox/sandbox-routes.js';
import { sandboxServiceRoutes } from './sandbox/sandbox-service-routes.js';
import { assetRoutes, productRoutes, settlementRoutes } from './v1/catalog-routes.js';
import { invoiceRoutes } from './v1/invoice-routes.js';
import { paymentIntentRoutes } from './v1/payment-intent-routes.js';
import { payoutListRoutes, payoutRoutes } from './v1/payout-routes.js';
import { transactionRoutes } from './v1/transaction-routes.js';
import { walletRoutes } from './v1/wallet-routes.js';
import { webhookRoutes } from './v1/webhook-routes.js';

export interface AppDeps {
  service: Service;
  own: Account;
  other: Account;
  /** Where it listens. */
  host: string;
}

/** `/v1` is the service's API; `/sandbox` is what the dashboard and the outside world do, to the first merchant. */
export function createApp({ service, own, other, host }: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.setHeader('Date', new Date(service.clock.now()).toUTCString());
    next();
  });
  const deps = { service, authenticate: createAuthenticate(service, { own, other }) };
  const { merchant } = own;
  app.use(refuseStrangers(host));
  // Read first: what a caller sent is done even if it does not wait for a slow answer.
  app.use(express.text({ type: () => true, limit: '1mb' }));
  app.use('/v1', misbehave(service));
  app.use(distortLists(service));
  app.use('/v1', requireJson, paymentIntentRoutes(deps), invoiceRoutes(deps), payoutRoutes(deps));
  app.use('/v1', transactionRoutes(deps), walletRoutes(deps), assetRoutes(deps), settlementRoutes(deps));
  app.use('/v1', productRoutes(deps), webhookRoutes(deps));
  app.use(payoutListRoutes(deps));
  app.use('/sandbox', sandboxPaymentIntentRoutes(service, merchant), sandboxInvoiceRoutes(service, merchant));
  app.use('/sandbox', sandboxPayoutRoutes(service, merchant), sandboxWalletRoutes(merchant));
  app.use('/sandbox', sandboxSettlementRoutes(service, merchant), sandboxProductRoutes(service, merchant));
  app.use('/sandbox', sandboxWebhookRoutes(own), sandboxServiceRoutes(service, own));
  app.get('/icons/:file', answerIcon);
  app.use(answerUnknownPath);
  app.use(createAnswerError(service));
  return app;
}

/** What the catalog's icons lead to: a disc in the coin's colour. */
const answerIcon: RequestHandler = (request, response) => {
  const asset = ASSETS.find(({ code }) => `${code.toLowerCase()}.svg` === request.params['file']);
  if (!asset) throw notFound('icon');
  const disc = `<circle cx="16" cy="16" r="16" fill="${asset.color}"/>`;
  response.type('svg').send(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${disc}</svg>`);
};

/** Requests with a body send Content-Type: application/json (specification 4). */
const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody = typeof request.body === 'string' && request.body !== '';
  if (hasBody && !request.is('application/json'))
    throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json');
  next();
};
