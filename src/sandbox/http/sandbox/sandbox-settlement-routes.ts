import { Router } from 'express';
import { notFound } from '../../base/refusal.js';
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
import { parseBody } from '../parse-body.js';

/** Fiat accounts and settlements, which belong to the dashboard. */
export function sandboxSettlementRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();
  const show = (account: SettlementAccount): object => settlementAccountRecord(account, service.clock.now());
  const find = (id: string): SettlementAccount => {
    const account = merchant.settlementAccounts.get(id);
    if (!account) throw notFound('settlement account');
    return account;
  };

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
