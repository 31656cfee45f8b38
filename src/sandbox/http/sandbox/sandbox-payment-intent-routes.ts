import { Router } from 'express';
import { findAsset } from '../../assets/assets.js';
import { jsonMember } from '../../base/json-member.js';
import { existing, invalid, notFound, Refusal } from '../../base/refusal.js';
import { autoSettlement } from '../../base/schemas.js';
import { createStandardIntent, type StandardInput } from '../../payments/create-standard.js';
import { decideDispute, openDispute } from '../../payments/dispute.js';
import { cancelIntent } from '../../payments/expire-intent.js';
import type { Intent } from '../../payments/intent.js';
import { intentJson, payinRecord } from '../../payments/intent-record.js';
import { payIntent, paymentSchema } from '../../payments/pay-intent.js';
import type { Merchant, Service } from '../../service.js';
import { checkAutoSettlement } from '../../settlements/auto-settlement.js';
import { sendJson } from '../answer.js';
import { isObject, type JsonObject, optionalText, parse, parseBody, requestBody } from '../parse-body.js';

/** What customers, operators and the hosted widget do with payments. */
export function sandboxPaymentIntentRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();
  const show = (intent: Intent): string => intentJson(intent, service.baseUrl);

  router.post('/payment-intents', (request, response) => {
    const { body, text } = requestBody(request);
    const wanted = parse(body.autoSettlement, autoSettlement.nullish());
    const settlementAccountId = checkAutoSettlement(merchant, wanted, findAsset(String(body.assetCode)) ?? null);
    const input = { ...standardInput(body, text), settlementAccountId: settlementAccountId ?? undefined };
    sendJson(response, show(createStandardIntent(merchant, input)), 201);
  });

  router.post('/payment-intents/:id/pay', (request, response) => {
    const { id } = request.params;
    const payin = payIntent(merchant, id, parseBody(request, paymentSchema));
    response.status(201).json(payinRecord(payin, id, service, service.clock.now()));
  });

  router.post('/payment-intents/:id/dispute', (request, response) => {
    const amount = optionalText(requestBody(request).body, 'amount') ?? undefined;
    sendJson(response, show(openDispute(merchant, request.params.id, amount)));
  });

  router.post('/payment-intents/:id/decide', (request, response) => {
    const decision = readDecision(requestBody(request).body);
    sendJson(response, show(decideDispute(merchant, request.params.id, decision)));
  });

  router.post('/payment-intents/:id/cancel', (request, response) => {
    const intent = existing(merchant.intents.read(request.params.id), 'payment intent');
    if (!cancelIntent(merchant, intent.id)) throw new Refusal(409, 'NOT_CANCELLABLE', 'the payment is not open');
    sendJson(response, show(merchant.intents.read(intent.id) ?? intent));
  });

  router.delete('/payment-intents/:id', (request, response) => {
    if (!merchant.intents.remove(request.params.id)) throw notFound('payment intent');
    response.status(204).end();
  });

  return router;
}

const TEXTS = [
  'assetCode',
  'merchantReference',
  'source',
  'invoiceId',
  'productId',
  'posTerminalId',
  'customerEmail',
  'customerRefundAddress',
  'returnUrl',
] as const;

const MOST_EXPIRY_SECONDS = 10 * 366 * 86_400;

function standardInput(body: JsonObject, text: string): StandardInput {
  const { amount, currency, requestedCurrencyType: type, acceptedCoins: coins, expirySeconds } = body;
  if (typeof amount !== 'string') throw invalid('amount must be a string');
  if (typeof currency !== 'string') throw invalid('currency must be a string');
  if (type !== undefined && type !== 'fiat' && type !== 'crypto')
    throw invalid('requestedCurrencyType: fiat or crypto');
  const input: StandardInput = { amount, currency, requestedCurrencyType: type };
  for (const name of TEXTS) input[name] = optionalText(body, name) ?? undefined;
  if (coins !== undefined) {
    if (!Array.isArray(coins) || !coins.every((coin) => typeof coin === 'string'))
      throw invalid('acceptedCoins: texts');
    input.acceptedCoins = coins;
  }
  if (expirySeconds !== undefined) {
    if (typeof expirySeconds !== 'number' || !(expirySeconds > 0 && expirySeconds <= MOST_EXPIRY_SECONDS))
      throw invalid(`expirySeconds must be positive and at most ${MOST_EXPIRY_SECONDS}`);
    input.expirySeconds = expirySeconds;
  }
  if (body.metadata !== undefined && body.metadata !== null) {
    if (!isObject(body.metadata)) throw invalid('metadata must be an object');
    input.metadata = jsonMember(text, 'metadata') ?? undefined;
  }
  return input;
}

/** `{"decision": "encash"}`, or shorter `{"encash": true}`. */
function readDecision(body: JsonObject): 'encash' | 'refund' {
  const decision = body.decision ?? (['encash', 'refund'] as const).find((name) => body[name] === true);
  if (decision !== 'encash' && decision !== 'refund') throw invalid('decision must be encash or refund');
  return decision;
}
