import { Router } from 'express';
import { ASSETS, type Asset, findAsset } from '../../assets/assets.js';
import { balanceRecord, publicAssetRecord } from '../../assets/balance-record.js';
import { merchantAssetSchema } from '../../assets/merchant-asset-schema.js';
import { notFound } from '../../base/refusal.js';
import { parseBody } from '../parse-body.js';
import type { V1Deps } from './v1-deps.js';

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

function knownAsset(assetCode: string): Asset {
  const asset = findAsset(assetCode);
  if (!asset) throw notFound('asset');
  return asset;
}
