import { createIdCodec } from '../base/ids.js';
import { formatAmount, ONE } from '../base/money.js';
import { createDraw, pick } from '../base/random.js';
import type { Product } from '../products/product.js';
import { DAY_MS, SPAN_MS } from './history-plan.js';

const COUNT = 20;
const NAMES = ['Tea', 'Coffee', 'Cocoa', 'Honey', 'Spices'] as const;
const FIATS = ['USD', 'EUR', 'XOF', 'NGN'] as const;
/** Every fifth is priced in a coin and paid with it. */
const COIN = 'USDT.TRC20';

/** The permanent links that past payments came from. Their ids are the first that a merchant's products get. */
export function pastProducts(seed: number, startedAt: number): Product[] {
  const ids = createIdCodec(seed, 'prod');
  const draw = createDraw(seed, 'past-product');
  const currency = createDraw(seed, 'past-product-currency');
  return Array.from({ length: COUNT }, (_, n) => {
    const name = `${NAMES[n % NAMES.length]} ${n + 1}`;
    const inCoin = n % 5 === 4;
    return {
      id: ids.encode(n),
      name,
      description: n % 3 === 0 ? `A box of ${name}` : null,
      amount: formatAmount((BigInt(500 + Math.floor(draw(n) * 20_000)) * ONE) / 100n),
      currency: inCoin ? COIN : pick(FIATS, currency(n)),
      assetCode: inCoin ? COIN : null,
      permanentLinkSlug: name.toLowerCase().replace(' ', '-'),
      imageUrl: null,
      isActive: n % 10 !== 9,
      createdAt: startedAt - SPAN_MS - DAY_MS,
    };
  });
}
