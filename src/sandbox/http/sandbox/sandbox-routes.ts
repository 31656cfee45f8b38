import { Router } from 'express';
import { z } from 'zod';
import type { Account } from '../../account.js';
import { assetOf, findAsset } from '../../assets/assets.js';
import { jsonMember } from '../../base/json-member.js';
import { existing, invalid } from '../../base/refusal.js';
import { text } from '../../base/schemas.js';
import { createInvoice, invoiceSchema, sendInvoice } from '../../invoices/create-invoice.js';
import { cancelInvoice, viewOf } from '../../invoices/end-invoice.js';
import { type EmailDelivery, type Invoice, invoiceJson } from '../../invoices/invoice.js';
import { openInvoice } from '../../invoices/open-invoice.js';
import { intentJson } from '../../payments/intent-record.js';
import { payIntent, paymentSchema } from '../../payments/pay-intent.js';
import { advancePayout } from '../../payouts/advance-payout.js';
import { createDashboardPayout, dashboardPayoutSchema } from '../../payouts/create-dashboard-payout.js';
import { payoutRecord } from '../../payouts/payout.js';
import { createProduct, openProduct, productSchema } from '../../products/create-product.js';
import { type Product, productRecord } from '../../products/product.js';
import { productStats } from '../../products/product-stats.js';
import type { Merchant, Service } from '../../service.js';
import {
  addSettlementAccount,
  makeDefault,
  revokeSettlementAccount,
  settlementAccountSchema,
} from '../../settlements/save-settlement-account.js';
import { settleByHand, settlementSchema } from '../../settlements/settle.js';
import { settlementRecord } from '../../settlements/settlement.js';
import { type SettlementAccount, settlementAccountRecord } from '../../settlements/settlement-account.js';
import { depositRecord } from '../../wallets/deposit.js';
import { findWallet } from '../../wallets/find-wallet.js';
import { depositSchema, placeOf, receiveDeposit } from '../../wallets/receive-deposit.js';
import { createWallet, newWalletSchema } from '../../wallets/save-wallet.js';
import { walletRecord } from '../../wallets/wallet-record.js';
import { deliveryJson } from '../../webhooks/delivery.js';
import { endpointRecord } from '../../webhooks/endpoints.js';
import { testSend } from '../../webhooks/test-send.js';
import { sendJson } from '../answer.js';
import { optionalText, parse, parseBody, requestBody } from '../parse-body.js';

/** Invoices as the dashboard drafts them and customers pay them. */
export function sandboxInvoiceRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();
  const find = (id: string): Invoice => existing(merchant.invoices.get(id), 'invoice');
  const show = (invoice: Invoice, emailDelivery?: EmailDelivery): string =>
    invoiceJson(invoice, { ...viewOf(merchant), ...(emailDelivery ? { emailDelivery } : {}) });

  router.post('/invoices', (request, response) => {
    const { body, text } = requestBody(request);
    const invoice = createInvoice(merchant, { request: parse(body, invoiceSchema), meta: jsonMember(text, 'meta') });
    sendJson(response, show(invoice), 201);
  });

  router.post('/invoices/:id/send', (request, response) => {
    const invoice = find(request.params.id);
    const emailDelivery = sendInvoice(merchant, invoice);
    sendJson(response, show(invoice, emailDelivery));
  });

  router.post('/invoices/:id/cancel', (request, response) => {
    sendJson(response, show(cancelInvoice(merchant, find(request.params.id))));
  });

  router.post('/invoices/:id/open', (request, response) => {
    sendJson(response, intentJson(openInvoice(merchant, find(request.params.id)), service.baseUrl), 201);
  });

  router.post('/invoices/:id/pay', (request, response) => {
    const invoice = find(request.params.id);
    const payment = parseBody(request, paymentSchema);
    payIntent(merchant, openInvoice(merchant, invoice).id, payment);
    sendJson(response, show(invoice));
  });

  return router;
}

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
      const payout = existing(merchant.payouts.get(request.params.id ?? ''), 'payout');
      const given = parseBody(request, payoutStepSchema);
      const advanced = advancePayout(merchant, payout, { step, ...given });
      response.json(payoutRecord(advanced, service.faults.links));
    });
  }

  return router;
}

const productUpdateSchema = z.object({ isActive: z.boolean() });

/** Permanent payment links as the dashboard makes them and customers open them. */
export function sandboxProductRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();
  const show = (product: Product): object =>
    productRecord(product, productStats(merchant, product.id), service.baseUrl);
  const find = (id: string): Product => existing(merchant.products.get(id), 'product');

  router.post('/products', (request, response) => {
    response.status(201).json(show(createProduct(merchant, parseBody(request, productSchema))));
  });

  router.patch('/products/:id', (request, response) => {
    const product = find(request.params.id);
    product.isActive = parseBody(request, productUpdateSchema).isActive;
    response.json(show(product));
  });

  router.post('/products/:id/open', (request, response) => {
    sendJson(response, intentJson(openProduct(merchant, find(request.params.id)), service.baseUrl), 201);
  });

  return router;
}

/** Fiat accounts and settlements, which belong to the dashboard. */
export function sandboxSettlementRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();
  const show = (account: SettlementAccount): object => settlementAccountRecord(account, service.clock.now());
  const find = (id: string): SettlementAccount => existing(merchant.settlementAccounts.get(id), 'settlement account');

  router.post('/settlement-accounts', (request, response) => {
    const account = addSettlementAccount(merchant, parseBody(request, settlementAccountSchema));
    response.status(201).json(show(account));
  });

  router.post('/settlement-accounts/:id/default', (request, response) => {
    response.json(show(makeDefault(merchant, find(request.params.id))));
  });

  router.post('/settlement-accounts/:id/revoke', (request, response) => {
    response.json(show(revokeSettlementAccount(merchant, find(request.params.id))));
  });

  router.post('/settlements', (request, response) => {
    const settlement = settleByHand(merchant, parseBody(request, settlementSchema));
    response.status(201).json(settlementRecord(settlement));
  });

  router.get('/settlements', (_request, response) => {
    response.json(merchant.settlements.newestFirst().map(settlementRecord));
  });

  return router;
}

/** Sub-wallets as the dashboard opens them, and what is sent to them. */
export function sandboxWalletRoutes(merchant: Merchant): Router {
  const router = Router();

  router.post('/accounts', (request, response) => {
    const wallet = createWallet(merchant, parseBody(request, newWalletSchema));
    response.status(201).json(walletRecord(merchant, wallet));
  });

  router.get('/accounts/:id', (request, response) => {
    response.json(walletRecord(merchant, findWallet(merchant, request.params.id)));
  });

  router.post('/accounts/:id/addresses/:assetCode', (request, response) => {
    const wallet = findWallet(merchant, request.params.id);
    const { assetCode } = request.params;
    if (!findAsset(assetCode)) throw invalid('assetCode is unknown');
    response.status(201).json({ assetCode, ...placeOf(merchant, wallet, assetOf(assetCode)) });
  });

  router.post('/accounts/:id/deposit', (request, response) => {
    const wallet = findWallet(merchant, request.params.id);
    const deposit = receiveDeposit(merchant, wallet, parseBody(request, depositSchema));
    response.status(201).json(depositRecord(deposit, merchant.service.faults));
  });

  router.post('/deposits', (request, response) => {
    const deposit = receiveDeposit(merchant, null, parseBody(request, depositSchema));
    response.status(201).json(depositRecord(deposit, merchant.service.faults));
  });

  return router;
}

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
