import { readWatermarks } from '../records/runs/watermarks.js';
import { ServiceError, UnauthorizedError } from '../service-api/service-errors.js';
import { checkProducts, type ProductsChecked } from './catalog/check-products.js';
import { readCatalog, readSettlementAccounts } from './catalog/read-catalog.js';
import { type ProductsRead, readProducts } from './catalog/read-products.js';
import { readSettlementMethods } from './catalog/read-settlement-methods.js';
import type { Outcome, RunContext } from './deps.js';

/** So many findings are told one by one. */
const TOLD = 20;

/**
 * What changes seldom: the assets of the platform (specification 4.20), the accounts to settle to (4.16) and the ways to
 * them (4.17), the products that payments name (4.19). What the service does not offer to this account is said, and keeps
 * nothing else from being read.
 */
export async function reconcileCatalog(run: RunContext): Promise<Outcome> {
  const reasons: string[] = [];
  const attempt = async <T>(what: string, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.retryable || error instanceof UnauthorizedError) throw error;
      reasons.push(`degraded: ${what} can't be read: ${error.message}`);
      return null;
    }
  };
  const assets = await attempt('the catalog of assets', () => readCatalog(run));
  const accounts = await attempt('the settlement accounts', () => readSettlementAccounts(run));
  const methods = await attempt('the settlement methods', () => readSettlementMethods(run));
  const products = await attempt('the products', () => readProducts(run));
  const known = await readWatermarks(run.deps.db, 'catalog');
  const checked = products && (await attempt('the products', () => checkProducts(run, products, known)));
  run.progress({ seen: run.tally.seen, calls: run.tally.calls, oldest: null, total: null });
  return {
    complete: reasons.length === 0,
    proof: {
      ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
      assets: assets?.length ?? null,
      settlementAccounts: accounts?.length ?? null,
      settlementMethodsOf: methods,
      ...(products === null ? {} : { products: productsOf(products, checked) }),
    },
    watermarks: new Map(),
    due: checked?.due ?? new Map(),
  };
}

function productsOf({ read, agree }: ProductsRead, checked: ProductsChecked | null): Record<string, unknown> {
  return { read, agree: agree.length, findings: checked?.findings.slice(0, TOLD) ?? [] };
}
