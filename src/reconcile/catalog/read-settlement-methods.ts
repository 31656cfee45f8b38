import type { Json } from '../../domain/json.js';
import { toJsonText } from '../../domain/json-text.js';
import { assetsToSettle, keepSettlementMethods } from '../../records/balances/product-facts.js';
import { NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import type { RunContext } from '../deps.js';
import { NOTHING, writeFenced } from '../write-fenced.js';

/** One call each; the others have their turn in the next run. */
const MOST_ASSETS = 20;

/** To where each asset can be settled (specification 4.17), some assets on each run. Returns how many were asked for. */
export async function readSettlementMethods(run: RunContext): Promise<number> {
  const { db, now } = run.deps;
  const assets = await assetsToSettle(db, MOST_ASSETS);
  for (const asset of assets) {
    const answer = await ask(run, asset);
    await writeFenced({ db, now, tally: run.tally, fence: run.fence }, async (trx) => {
      const content = answer === null ? null : toJsonText(answer);
      await keepSettlementMethods(trx, asset, content, run.deps.client.serviceNow());
      return NOTHING;
    });
  }
  return assets.length;
}

/** Null: the service has no way to settle it. */
async function ask({ deps, tally, signal }: RunContext, assetCode: string): Promise<Json | null> {
  signal?.throwIfAborted();
  tally.calls += 1;
  try {
    const request = { query: { assetCode }, ...(signal ? { signal } : {}) };
    return (await deps.client.reply('listSettlementPaymentMethods', request)).data;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof RefusedError) return null;
    throw error;
  }
}
