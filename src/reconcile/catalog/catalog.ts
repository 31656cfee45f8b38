import { toJsonText } from '../../domain/json.js';
import { assetsToSettle, keepSettlementMethods } from '../../records/balances/product-facts.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import { ServiceError, UnauthorizedError } from '../../service-api/service-errors.js';
import type { Outcome, RunContext } from '../deps.js';
import { askIfShown } from '../service-reader.js';
import { writeFenced } from '../write-fenced.js';
import { checkProducts, type ProductsChecked, type ProductsRead, readProducts } from './check-products.js';
import { readCatalog, readSettlementAccounts } from './read-catalog.js';

/** So many findings are listed one by one. */
const LISTED = 20;

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
  return { read, agree: agree.length, findings: checked?.findings.slice(0, LISTED) ?? [] };
}

/** One call each; the others have their turn in the next run. */
const MOST_ASSETS = 20;

/** To where each asset can be settled (specification 4.17), some assets on each run. Returns how many were asked for. */
async function readSettlementMethods(run: RunContext): Promise<number> {
  const { deps } = run;
  const assets = await assetsToSettle(deps.db, MOST_ASSETS);
  for (const assetCode of assets) {
    const answer = await askIfShown(run, 'listSettlementPaymentMethods', { query: { assetCode } });
    const content = answer === null ? null : toJsonText(answer.data);
    await writeFenced({ ...deps, ...run }, (trx) =>
      keepSettlementMethods(trx, assetCode, content, deps.client.serviceNow()),
    );
  }
  return assets.length;
}
