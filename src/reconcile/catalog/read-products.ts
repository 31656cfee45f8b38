import { isLosslessNumber } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { countProductPayments, productsOfPayments } from '../../records/balances/product-facts.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import { NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';

/** One call each; the others have their turn in the next run. */
const MOST_PRODUCTS = 50;

/** A product whose counts are not those of our own payments (specification 2.9, 4.19). */
export interface ProductFinding {
  id: string;
  ours: { totalIntents: number; completedIntents: number };
  theirs: { totalIntents: number | null; completedIntents: number | null };
}

export interface ProductsRead {
  read: number;
  /** Ids of those whose counts are those of our payments. */
  agree: string[];
  findings: ProductFinding[];
}

/** The products that payments name (specification 4.19), and whether their statistics are those of our payments. */
export async function readProducts(run: RunContext): Promise<ProductsRead> {
  return compareProducts(run, await productsOfPayments(run.deps.db, MOST_PRODUCTS));
}

/** Reads these products, and holds their statistics against our payments as they stand. */
export async function compareProducts(run: RunContext, ids: readonly string[]): Promise<ProductsRead> {
  const payments = await countProductPayments(run.deps.db, ids);
  const result: ProductsRead = { read: 0, agree: [], findings: [] };
  for (const id of ids) {
    const fields = await readProduct(run, id);
    if (fields === null) continue;
    result.read += 1;
    const ours = payments.get(id) ?? { totalIntents: 0, completedIntents: 0 };
    const theirs = statsOf(fields['stats']);
    if (theirs.totalIntents === ours.totalIntents && theirs.completedIntents === ours.completedIntents)
      result.agree.push(id);
    else result.findings.push({ id, ours, theirs });
  }
  return result;
}

/** Null: the service does not know it. */
async function readProduct(run: RunContext, id: string): Promise<JsonObject | null> {
  const { deps, tally, signal, source, fence } = run;
  const { db, now, adoptedAt } = deps;
  signal?.throwIfAborted();
  tally.calls += 1;
  try {
    const { data, from, to } = await deps.client.reply('getProduct', { path: { id }, ...(signal ? { signal } : {}) });
    const fields = isJsonObject(data) ? data : {};
    tally.seen += 1;
    await writeFenced({ db, now, tally, fence }, async (trx) => {
      const reading = { type: 'poll', kind: 'product', id, from, to, source, fields } as const;
      const { changed, breaksOpened } = await saveObservations(trx, [reading], { now: now(), adoptedAt });
      return { changed, breaksOpened };
    });
    return fields;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof RefusedError) return null;
    throw error;
  }
}

function statsOf(stats: Json | undefined): ProductFinding['theirs'] {
  const counted = (name: string): number | null => {
    const value = isJsonObject(stats) ? stats[name] : undefined;
    return isLosslessNumber(value) ? Number(value.toString()) : null;
  };
  return { totalIntents: counted('totalIntents'), completedIntents: counted('completedIntents') };
}
