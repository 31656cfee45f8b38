import { Router } from 'express';
import { z } from 'zod';
import { notFound } from '../../base/refusal.js';
import { intentJson } from '../../payments/intent-record.js';
import { createProduct, openProduct, productSchema } from '../../products/create-product.js';
import { type Product, productRecord } from '../../products/product.js';
import { productStats } from '../../products/product-stats.js';
import type { Merchant, Service } from '../../service.js';
import { sendJson } from '../answer.js';
import { parseBody } from '../parse-body.js';

const productUpdateSchema = z.object({ isActive: z.boolean() });

/** Permanent payment links as the dashboard makes them and customers open them. */
export function sandboxProductRoutes(service: Service, merchant: Merchant): Router {
  const router = Router();
  const show = (product: Product): object =>
    productRecord(product, productStats(merchant, product.id), service.baseUrl);
  const find = (id: string): Product => {
    const product = merchant.products.get(id);
    if (!product) throw notFound('product');
    return product;
  };

  router.post('/products', (request, response) => {
    response.status(201).json(show(createProduct(merchant, parseBody(request, productSchema))));
  });

  router.patch('/products/:id', (request, response) => {
    const product = find(request.params.id);
    product.isActive = parseBody(request, productUpdateSchema).isActive;
    response.json(show(product));
  });

  router.post('/products/:id/open', (request, response) => {
    sendJson(response, intentJson(openProduct(merchant, find(request.params.id)), service.baseUrl), 201);
  });

  return router;
}
