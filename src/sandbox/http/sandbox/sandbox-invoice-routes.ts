import { Router } from 'express';
import { jsonMember } from '../../base/json-member.js';
import { notFound } from '../../base/refusal.js';
import { createInvoice, invoiceSchema, sendInvoice } from '../../invoices/create-invoice.js';
import { cancelInvoice } from '../../invoices/end-invoice.js';
import type { Invoice } from '../../invoices/invoice.js';
import { type EmailDelivery, invoiceJson } from '../../invoices/invoice-record.js';
import { viewOf } from '../../invoices/mark-invoice-paid.js';
import { openInvoice } from '../../invoices/open-invoice.js';
import { intentJson } from '../../payments/intent-record.js';
import { payIntent } from '../../payments/pay-intent.js';
import type { Merchant, Service } from '../../service.js';
import { sendJson } from '../answer.js';
import { parse, parseBody } from '../parse-body.js';
import { requestBody } from '../request-body.js';
import { paymentSchema } from './payment-schema.js';

/** Invoices as the dashboard drafts them and customers pay them. */
export function sandboxInvoiceRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();
  const find = (id: string): Invoice => {
    const invoice = merchant.invoices.get(id);
    if (!invoice) throw notFound('invoice');
    return invoice;
  };
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
