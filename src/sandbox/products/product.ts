import { iso } from '../base/iso-time.js';

/** A permanent payment link (specification 2.9). */
export interface Product {
  id: string;
  name: string;
  description: string | null;
  amount: string;
  currency: string;
  assetCode: string | null;
  permanentLinkSlug: string;
  imageUrl: string | null;
  isActive: boolean;
  createdAt: number;
}

export interface ProductStats {
  totalIntents: number;
  completedIntents: number;
  /** Decimal string. */
  totalRevenue: string;
}

export function productRecord(product: Product, stats: ProductStats, baseUrl: string) {
  const { createdAt, ...rest } = product;
  return { ...rest, paymentLink: `${baseUrl}/product/${product.permanentLinkSlug}`, createdAt: iso(createdAt), stats };
}
