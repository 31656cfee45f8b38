import { Router } from 'express';
import { ASSETS, type Asset, findAsset, resolveCoin } from '../../assets/assets.js';
import { balanceRecord, publicAssetRecord } from '../../assets/balance-record.js';
import { existing, invalid, Refusal } from '../../base/refusal.js';
import { merchantAssetSchema } from '../../base/schemas.js';
import { productRecord } from '../../products/product.js';
import { productStats } from '../../products/product-stats.js';
import { settlementAccountRecord } from '../../settlements/settlement-account.js';
import { methodsFor, SETTLEMENT_PROVIDER } from '../../settlements/settlement-methods.js';
import type { V1Deps } from '../authenticate.js';
import { parseBody } from '../parse-body.js';
import { readQuery } from '../read-page.js';

/** Specification 4.13, 4.18, 4.20. */
export function assetRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();

  router.get('/public/assets', (_request, response) => {
    response.json(ASSETS.map((asset) => publicAssetRecord(asset, service.baseUrl)));
  });

  router.patch('/merchant-assets/:assetCode', (request, response) => {
    const { inactiveAssets } = authenticate(request).account.merchant;
    const { assetCode } = knownAsset(request.params.assetCode);
    const { isActive } = parseBody(request, merchantAssetSchema);
    if (isActive) inactiveAssets.delete(assetCode);
    else inactiveAssets.add(assetCode);
    response.json({ assetCode, isActive });
  });

  router.get('/wallet/balances/:assetCode', (request, response) => {
    const { merchant } = authenticate(request).account;
    response.json(balanceRecord(merchant, knownAsset(request.params.assetCode)));
  });

  return router;
}

const knownAsset = (assetCode: string): Asset => existing(findAsset(assetCode), 'asset');

/** Specification 4.19. */
export function productRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();
  router.get('/products/:id/manage', (request, response) => {
    const { merchant } = authenticate(request).account;
    const product = existing(merchant.products.get(request.params.id), 'product');
    response.json(productRecord(product, productStats(merchant, product.id), service.baseUrl));
  });
  return router;
}

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
