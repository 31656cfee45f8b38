import { type Request, type Response, Router } from 'express';
import { jsonMember } from '../../base/json-member.js';
import { invalid, notFound } from '../../base/refusal.js';
import { churn } from '../../churn.js';
import { createDirectIntent, directSchema } from '../../payments/create-direct.js';
import { INTENT_STATUSES, type Intent, type IntentStatus } from '../../payments/intent.js';
import type { IntentFilter } from '../../payments/intent-page.js';
import { directJson, listedIntentJson, payinRecord } from '../../payments/intent-record.js';
import { placeOfPayin } from '../../payments/payin.js';
import { type Merchant, type Service, strikes } from '../../service.js';
import { depositRecord } from '../../wallets/deposit.js';
import { sendJson } from '../answer.js';
import type { Caller, V1Deps } from '../authenticate.js';
import { createOnce } from '../create-once.js';
import { requestBody } from '../parse-body.js';
import { type QueryReader, readQuery } from '../read-page.js';

/** Specification 4.1, 4.14, 4.15. */
export function paymentIntentRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();
  const lastPages = new WeakMap<Merchant, { rows: Intent[]; pages: number }>();

  router.get('/payment-intents', (request, response) => {
    const { merchant } = authenticate(request).account;
    const last = lastPages.get(merchant) ?? { rows: [], pages: 0 };
    const query = readListQuery(service, request);
    const cursor = query.text('cursor') ?? null;
    if (cursor !== null && strikes(merchant, service.faults.churn, 'churn-page', last.pages))
      churn(merchant, last.rows, last.pages);
    const { cursor: semantics, irregularHoldsDisputes, hideFromIrregular: hideDisputes } = service.faults;
    const disputes = { irregularHoldsDisputes, hideDisputes };
    const filter = readFilter(query);
    const rows = merchant.intents.page({ filter, take: query.take(20), cursor, semantics, ...disputes });
    if (rows === null) throw invalid('cursor is unknown');
    lastPages.set(merchant, { rows, pages: last.pages + 1 });
    sendJson(response, `[${rows.map((row) => listedIntentJson(row, service)).join(',')}]`);
  });

  router.post('/payment-intents/direct', (request, response) => {
    createDirect(authenticate(request), service.baseUrl, request, response);
  });

  router.get('/payments/payins/:id', (request, response) => {
    response.json(findPayin(service, authenticate(request).account.merchant, request.params.id));
  });

  return router;
}

/** A customer's deposit for a payment, or one to an address of the merchant's own. */
function findPayin(service: Service, merchant: Merchant, id: string): object {
  const deposit = merchant.deposits.get(id);
  if (deposit) return depositRecord(deposit, service.faults);
  const n = merchant.payinIds.decode(id);
  const place = placeOfPayin(n ?? 0);
  const intent = n === null ? null : merchant.intents.at(place.position);
  const payin = intent?.payins[place.index];
  if (!intent || !payin) throw notFound('payin');
  return payinRecord(payin, intent.id, service, service.clock.now());
}

const LIST_PARAMETERS = ['cursor', 'take', 'status', 'assetCode', 'productId', 'posTerminalId', 'invoiceId'];

function readListQuery({ faults }: Service, request: Request): QueryReader {
  return readQuery(request, LIST_PARAMETERS, { faults, list: 'paymentIntents' });
}

function readFilter(query: QueryReader): IntentFilter {
  const filter: IntentFilter = {};
  const status = query.text('status');
  if (status !== undefined) filter.status = readStatus(status);
  for (const name of ['assetCode', 'productId', 'posTerminalId', 'invoiceId'] as const) {
    const value = query.text(name);
    if (value !== undefined) filter[name] = value;
  }
  return filter;
}

function readStatus(value: string): IntentStatus | 'irregular' {
  const status = [...INTENT_STATUSES, 'irregular' as const].find((name) => name === value);
  if (!status) throw invalid(`status must be one of ${INTENT_STATUSES.join(', ')}, irregular`);
  return status;
}

function createDirect(caller: Caller, baseUrl: string, request: Request, response: Response): void {
  const { merchant } = caller.account;
  const { text } = requestBody(request);
  const { record, replayed } = createOnce(caller, request, {
    operation: 'direct',
    schema: directSchema,
    find: (id) => merchant.intents.read(id),
    make: (body) => createDirectIntent(merchant, body, jsonMember(text, 'metadata')),
  });
  sendJson(response, directJson(record, baseUrl), replayed ? 200 : 201);
}
