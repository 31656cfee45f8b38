import { z } from 'zod';
import { findAsset } from '../assets/assets.js';
import { isFiat } from '../assets/fiat.js';
import { amountOf, formatAmount } from '../base/money.js';
import { invalid, Refusal } from '../base/refusal.js';
import { amount, assetCode, text } from '../base/schemas.js';
import { createStandardIntent } from '../payments/create-standard.js';
import type { Intent } from '../payments/intent.js';
import type { Merchant } from '../service.js';
import type { Product } from './product.js';

export const productSchema = z.object({
  name: text().min(1),
  description: text().nullish(),
  amount,
  currency: z.string(),
  assetCode: assetCode.nullish(),
  permanentLinkSlug: text(120)
    .regex(/^[a-z0-9-]+$/, 'must be lowercase letters, digits and hyphens')
    .nullish(),
  imageUrl: z.url().nullish(),
});

export function createProduct(merchant: Merchant, request: z.output<typeof productSchema>): Product {
  const { currency } = request;
  if (!isFiat(currency) && !findAsset(currency)) throw invalid('currency: a fiat currency or an asset is wanted');
  checkAsset(request);
  const taken = new Set(merchant.products.all().map(({ permanentLinkSlug }) => permanentLinkSlug));
  const { permanentLinkSlug: slug } = request;
  if (slug && taken.has(slug)) throw new Refusal(409, 'SLUG_TAKEN', 'permanentLinkSlug: another product has it');
  return merchant.products.add((id, number) => ({
    id,
    name: request.name,
    description: request.description ?? null,
    amount: formatAmount(amountOf(request.amount)),
    currency,
    assetCode: request.assetCode ?? null,
    permanentLinkSlug: slug ?? freeSlug(taken, number + 1),
    imageUrl: request.imageUrl ?? null,
    isActive: true,
    createdAt: merchant.service.clock.now(),
  }));
}

/** It must be possible to pay the product with it. */
function checkAsset({ currency, assetCode }: z.output<typeof productSchema>): void {
  if (!assetCode) return;
  const asset = findAsset(assetCode);
  if (!asset) throw invalid(`assetCode: ${assetCode} is unknown`);
  if (isFiat(currency) ? asset.usdRate === 0n : assetCode !== currency)
    throw invalid(`assetCode: what is priced in ${currency} can't be paid with ${assetCode}`);
}

function freeSlug(taken: ReadonlySet<string>, from: number): string {
  let number = from;
  while (taken.has(`product-${number}`)) number += 1;
  return `product-${number}`;
}

/** A customer opens the permanent link. */
export function openProduct(merchant: Merchant, product: Product): Intent {
  if (!product.isActive) throw new Refusal(409, 'PRODUCT_INACTIVE', 'the product is not active');
  return createStandardIntent(merchant, {
    amount: product.amount,
    currency: product.currency,
    acceptedCoins: product.assetCode === null ? undefined : [product.assetCode],
    source: 'product',
    productId: product.id,
  });
}
