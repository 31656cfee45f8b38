import { Router } from 'express';
import { jsonMember } from '../../base/json-member.js';
import { churnInvoices } from '../../churn.js';
import { createInvoice, invoiceSchema, sendInvoice } from '../../invoices/create-invoice.js';
import { viewOf } from '../../invoices/end-invoice.js';
import { INVOICE_STATUSES, invoiceJson } from '../../invoices/invoice.js';
import { sendJson } from '../answer.js';
import type { V1Deps } from '../authenticate.js';
import { parse, requestBody } from '../parse-body.js';
import { createPageChurn, readChoice, readPage, readQuery } from '../read-page.js';

const PARAMETERS = ['cursor', 'take', 'status', 'merchantReference'];

/** Specification 4.2, 4.3. */
export function invoiceRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();
  const churn = createPageChurn(service, 'invoices');

  router.post('/invoices', (request, response) => {
    const { merchant } = authenticate(request).account;
    const { body, text } = requestBody(request);
    const meta = jsonMember(text, 'meta');
    const invoice = createInvoice(merchant, { request: parse(body, invoiceSchema), meta });
    const emailDelivery = sendInvoice(merchant, invoice);
    sendJson(response, invoiceJson(invoice, { ...viewOf(merchant), emailDelivery }), 201);
  });

  router.get('/invoices', (request, response) => {
    const { merchant } = authenticate(request).account;
    const { faults } = service;
    const query = readQuery(request, PARAMETERS, { faults, list: 'invoices' });
    const status = readChoice(query, 'status', INVOICE_STATUSES);
    const reference = query.text('merchantReference')?.toLowerCase();
    churn(merchant, query.text('cursor'), (n, cursor) => churnInvoices(merchant, cursor, n));
    const rows = readPage(merchant.invoices, {
      query,
      faults,
      matches: (invoice) =>
        (status === undefined || invoice.status === status) &&
        (reference === undefined || invoice.merchantReference?.toLowerCase().includes(reference) === true),
    });
    sendJson(response, `[${rows.map((invoice) => invoiceJson(invoice, viewOf(merchant))).join(',')}]`);
  });

  return router;
}
