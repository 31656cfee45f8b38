import { Router } from 'express';
import { assetOf, findAsset } from '../../assets/assets.js';
import { invalid } from '../../base/refusal.js';
import type { Merchant } from '../../service.js';
import { depositRecord } from '../../wallets/deposit.js';
import { findWallet } from '../../wallets/find-wallet.js';
import { depositSchema, placeOf, receiveDeposit } from '../../wallets/receive-deposit.js';
import { createWallet, newWalletSchema } from '../../wallets/save-wallet.js';
import { walletRecord } from '../../wallets/wallet-record.js';
import { parseBody } from '../parse-body.js';

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
