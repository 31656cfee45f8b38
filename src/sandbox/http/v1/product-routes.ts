import { Router } from 'express';
import { notFound } from '../../base/refusal.js';
import { productRecord } from '../../products/product.js';
import { productStats } from '../../products/product-stats.js';
import type { V1Deps } from './v1-deps.js';

/** Specification 4.19. */
export function productRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();
  router.get('/products/:id/manage', (request, response) => {
    const { merchant } = authenticate(request).account;
    const product = merchant.products.get(request.params.id);
    if (!product) throw notFound('product');
    response.json(productRecord(product, productStats(merchant, product.id), service.baseUrl));
  });
  return router;
}
