import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import type { Watermark } from '../../records/runs/watermarks.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';
import { compareProducts, type ProductFinding, type ProductsRead } from './read-products.js';

const HOUR_MS = 3_600_000;
const WATERMARK = 'product:';

export interface ProductsChecked {
  findings: ProductFinding[];
  /** Since when each differs by just so much, for the next run. */
  due: Map<string, Watermark>;
}

/**
 * A product counts the payments that were made of it, and those of them that were completed (specification 2.9). What differs
 * is read once more after our payments were: the same difference in both readings, over payments that are read whole, and in a
 * run an hour ago as well, is a break until the counts agree.
 */
export async function checkProducts(
  run: RunContext,
  read: ProductsRead,
  known: ReadonlyMap<string, Watermark>,
): Promise<ProductsChecked> {
  const { deps, tally, fence } = run;
  const again = await readAgain(run, read.findings);
  const first = new Map(read.findings.map((finding) => [finding.id, finding]));
  const stays = (again?.findings ?? []).filter((finding) => isSame(finding, first.get(finding.id)));
  const now = deps.now().getTime();
  const since = (finding: ProductFinding): number => {
    const watermark = known.get(WATERMARK + finding.id);
    return watermark?.['of'] === differenceOf(finding) ? Number(watermark['since'] ?? now) : now;
  };
  const agreed = [...read.agree, ...(again?.agree ?? [])];
  await writeFenced({ db: deps.db, now: deps.now, tally, fence }, async (trx) => {
    await autoResolveBreaks(
      trx,
      agreed.map((id) => ({ kind: 'product_count', entity: { kind: 'product', id } })),
    );
    const old = stays.filter((finding) => now - since(finding) >= HOUR_MS);
    return {
      changed: 0,
      breaksOpened: await openBreaks(
        trx,
        old.map((finding) => breakOf(finding, run)),
      ),
    };
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
