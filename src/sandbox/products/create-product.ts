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
  if (request.assetCode && !findAsset(request.assetCode)) throw invalid(`assetCode: ${request.assetCode} is unknown`);
  const { permanentLinkSlug: slug } = request;
  if (merchant.products.all().some(({ permanentLinkSlug }) => permanentLinkSlug === slug)) {
    throw new Refusal(409, 'SLUG_TAKEN', 'permanentLinkSlug: another product has it');
  }
  return merchant.products.add((id, number) => ({
    id,
    name: request.name,
    description: request.description ?? null,
    amount: formatAmount(amountOf(request.amount)),
    currency,
    assetCode: request.assetCode ?? null,
    permanentLinkSlug: slug ?? `product-${number + 1}`,
    imageUrl: request.imageUrl ?? null,
    isActive: true,
    createdAt: merchant.service.clock.now(),
  }));
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
