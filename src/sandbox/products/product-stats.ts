import { amountOf, formatAmount } from '../base/money.js';
import type { Intent } from '../payments/intent.js';
import type { Merchant } from '../service.js';
import type { ProductStats } from './product.js';

/**
 * Sales of a product. Revenue is in the currency that was asked for: of a payment in fiat, the part of the requested
 * amount that its net is of the crypto amount that was expected for it.
 */
export function productStats(merchant: Merchant, productId: string): ProductStats {
  const filter = { productId };
  const intents = merchant.intents.page({ filter, take: Number.POSITIVE_INFINITY, cursor: null, semantics: 'key' });
  const completed = (intents ?? []).filter(({ status }) => status === 'completed');
  return {
    totalIntents: intents?.length ?? 0,
    completedIntents: completed.length,
    totalRevenue: formatAmount(completed.reduce((sum, intent) => sum + revenueOf(intent), 0n)),
  };
}

function revenueOf(intent: Intent): bigint {
  const net = amountOf(intent.amountNetMerchant);
  const expected = amountOf(intent.amountCryptoExpected);
  return expected === 0n ? net : (amountOf(intent.amountRequested) * net) / expected;
}
