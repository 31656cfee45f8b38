import { toJsonText } from '../../domain/json.js';
import type { RecordKind } from '../../domain/records.js';
import { assetsToSettle, keepSettlementMethods } from '../../records/balances/product-facts.js';
import { listedIds } from '../../records/runs/record-places.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import type { ReadOperation } from '../../service-api/operations.js';
import { ServiceError, UnauthorizedError } from '../../service-api/service-errors.js';
import { type Outcome, outcomeOf, type RunContext } from '../deps.js';
import { ask, askIfShown, rowsOf, wholeList } from '../service-reader.js';
import { saveContext, writeFenced } from '../write-fenced.js';
import { checkProducts, type ProductsChecked, type ProductsRead, readProducts } from './check-products.js';

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
  const accounts = await attempt('the settlement accounts', () =>
    readWhole(run, 'listSettlementAccounts', 'settlement_account'),
  );
  const methods = await attempt('the settlement methods', () => readSettlementMethods(run));
  const products = await attempt('the products', () => readProducts(run));
  const known = await readWatermarks(run.deps.db, 'catalog');
  const checked = products && (await attempt('the products', () => checkProducts(run, products, known)));
  run.progress({ seen: run.tally.seen, calls: run.tally.calls, oldest: null, total: null });
  const proof = {
    assets: assets?.length ?? null,
    settlementAccounts: accounts?.length ?? null,
    settlementMethodsOf: methods,
    ...(products === null ? {} : { products: productsOf(products, checked) }),
  };
  return outcomeOf(reasons, proof, checked ?? {});
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

/** The public catalog (specification 4.20). Returns the codes of its assets. */
export async function readCatalog(run: RunContext): Promise<string[]> {
  return readWhole(run, 'listPublicAssets', 'asset', 'assetCode');
}

/** A list that one answer holds whole: what it shows, and what it no longer does. */
async function readWhole(
  run: RunContext,
  operation: ReadOperation,
  kind: Extract<RecordKind, 'asset' | 'settlement_account'>,
  idField?: string,
): Promise<string[]> {
  const { deps, tally, source } = run;
  const { data, from, to } = await ask(run, operation);
  const items = Array.isArray(data) ? data : [];
  const rows = rowsOf(items, idField);
  tally.seen += rows.length;
  await writeFenced({ ...deps, ...run }, async (trx) => {
    // An answer with a row that can't be distinguished, or with none at all, says nothing of what is gone.
    const isWhole = rows.length === items.length && rows.length > 0;
    const observations = wholeList({ kind, from, to, source }, rows, isWhole ? await listedIds(trx, kind) : []);
    return saveObservations(trx, observations, saveContext(deps));
  });
  return rows.map(({ id }) => id);
}
