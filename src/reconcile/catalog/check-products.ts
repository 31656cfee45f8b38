import { isLosslessNumber } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { countProductPayments, productsOfPayments } from '../../records/balances/product-facts.js';
import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import type { Watermark } from '../../records/runs/watermarks.js';
import type { RunContext } from '../deps.js';
import { askIfShown } from '../service-reader.js';
import { saveFenced, writeFenced } from '../write-fenced.js';

const HOUR_MS = 3_600_000;
const WATERMARK = 'product:';

export interface ProductsChecked {
  findings: ProductFinding[];
  /** Since when each differs by just so much, for the next run. */
  due: Map<string, Watermark>;
}

/**
 * A product counts the payments that were made of it, and those of them that were completed (specification 2.9). What differs
 * is read once more after our payments were: the same difference in both polls, over payments that are read whole, and in a
 * run an hour ago as well, is a break until the counts agree.
 */
export async function checkProducts(
  run: RunContext,
  read: ProductsRead,
  known: ReadonlyMap<string, Watermark>,
): Promise<ProductsChecked> {
  const { deps } = run;
  const again = await readAgain(run, read.findings);
  const first = new Map(read.findings.map((finding) => [finding.id, finding]));
  const stays = (again?.findings ?? []).filter((finding) => isSame(finding, first.get(finding.id)));
  const now = deps.now().getTime();
  const since = (finding: ProductFinding): number => {
    const watermark = known.get(WATERMARK + finding.id);
    return watermark?.['of'] === differenceOf(finding) ? Number(watermark['since'] ?? now) : now;
  };
  const agreed = [...read.agree, ...(again?.agree ?? [])];
  const old = stays.filter((finding) => now - since(finding) >= HOUR_MS).map((finding) => breakOf(finding, run));
  const over = agreed.map((id) => ({ kind: 'product_count', entity: { kind: 'product', id } }) as const);
  await writeFenced({ ...deps, ...run }, async (trx) => {
    await autoResolveBreaks(trx, over);
    return { breaksOpened: await openBreaks(trx, old) };
  });
  const ended = agreed.filter((id) => known.has(WATERMARK + id));
  return {
    findings: stays.length > 0 || again !== null ? stays : read.findings,
    due: new Map<string, Watermark>([
      ...stays.map((finding): [string, Watermark] => {
        return [WATERMARK + finding.id, { since: since(finding), of: differenceOf(finding) }];
      }),
      ...ended.map((id): [string, Watermark] => [WATERMARK + id, { since: null, of: null }]),
    ]),
  };
}

/** Null: our payments are not known to be whole. */
async function readAgain(run: RunContext, findings: readonly ProductFinding[]): Promise<ProductsRead | null> {
  if (findings.length === 0 || run.prerequisite === undefined) return null;
  const { status, complete } = await run.prerequisite('payment-intents');
  if (status !== 'succeeded' || !complete) return null;
  return compareProducts(
    run,
    findings.map(({ id }) => id),
  );
}

function isSame(a: ProductFinding, b: ProductFinding | undefined): boolean {
  if (b === undefined || a.theirs.totalIntents === null || a.theirs.completedIntents === null) return false;
  return (['totalIntents', 'completedIntents'] as const).every(
    (name) => a.theirs[name] === b.theirs[name] && a.ours[name] === b.ours[name],
  );
}

function breakOf({ id, ours, theirs }: ProductFinding, { source }: RunContext) {
  const texts = (counts: Record<string, number | null>) =>
    Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, String(value)]));
  return {
    kind: 'product_count' as const,
    entity: { kind: 'product' as const, id },
    evidence: {
      rule: 'a product counts the payments made of it, and those of them that were completed',
      ours: { ...texts(ours), source: 'payments that name the product' },
      theirs: { ...texts(theirs), source: { ...source } },
    },
    cause: differenceOf({ ours, theirs }),
  };
}

/** Another one is a new one. */
function differenceOf({ ours, theirs }: Pick<ProductFinding, 'ours' | 'theirs'>): string {
  return JSON.stringify([ours, theirs]);
}

/** One call each; the others have their turn in the next run. */
const MOST_PRODUCTS = 50;

/** A product whose counts are not those of our own payments (specification 2.9, 4.19). */
interface ProductFinding {
  id: string;
  ours: { totalIntents: number; completedIntents: number };
  theirs: { totalIntents: number | null; completedIntents: number | null };
}

export interface ProductsRead {
  read: number;
  agree: string[];
  findings: ProductFinding[];
}

/** The products that payments name (specification 4.19), and whether their statistics are those of our payments. */
export async function readProducts(run: RunContext): Promise<ProductsRead> {
  return compareProducts(run, await productsOfPayments(run.deps.db, MOST_PRODUCTS));
}

async function compareProducts(run: RunContext, ids: readonly string[]): Promise<ProductsRead> {
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

async function readProduct(run: RunContext, id: string): Promise<JsonObject | null> {
  const reply = await askIfShown(run, 'getProduct', { path: { id } });
  if (reply === null) return null;
  const { data, from, to } = reply;
  const fields = isJsonObject(data) ? data : {};
  run.tally.seen += 1;
  await saveFenced(run, [{ type: 'poll', kind: 'product', id, from, to, source: run.source, fields }]);
  return fields;
}

function statsOf(stats: Json | undefined): ProductFinding['theirs'] {
  const counted = (name: string): number | null => {
    const value = isJsonObject(stats) ? stats[name] : undefined;
    return isLosslessNumber(value) ? Number(value.toString()) : null;
  };
  return { totalIntents: counted('totalIntents'), completedIntents: counted('completedIntents') };
}
