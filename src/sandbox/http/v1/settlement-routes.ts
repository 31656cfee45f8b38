import { Router } from 'express';
import { resolveCoin } from '../../assets/assets.js';
import { invalid, Refusal } from '../../base/refusal.js';
import { settlementAccountRecord } from '../../settlements/settlement-account.js';
import { methodsFor, SETTLEMENT_PROVIDER } from '../../settlements/settlement-methods.js';
import { readQuery } from '../request-query.js';
import type { V1Deps } from './v1-deps.js';

/** Specification 4.16, 4.17. */
export function settlementRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();

  router.get('/settlement-accounts', (request, response) => {
    const { settlementAccounts } = authenticate(request).account.merchant;
    const now = service.clock.now();
    response.json(settlementAccounts.newestFirst().map((account) => settlementAccountRecord(account, now)));
  });

  router.get('/settlements/payment-methods', (request, response) => {
    const { inactiveAssets } = authenticate(request).account.merchant;
    const query = readQuery(request, ['assetCode'], { faults: service.faults, list: 'settlementMethods' });
    const code = query.text('assetCode');
    if (code === undefined) throw invalid('assetCode is required');
    const resolution = resolveCoin(code, (assetCode) => !inactiveAssets.has(assetCode));
    if (!resolution.ok) throw new Refusal(400, 'ASSET_NOT_SUPPORTED', 'assetCode is not available');
    response.json({ provider: SETTLEMENT_PROVIDER, paymentMethods: methodsFor(resolution.asset) });
  });

  return router;
}
