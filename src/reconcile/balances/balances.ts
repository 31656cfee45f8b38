import { counted, named } from '../../domain/in-words.js';
import { holdsCatalog, type KnownAsset, knownAssets } from '../../records/balances/balance-assets.js';
import { NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import { readCatalog } from '../catalog/catalog.js';
import { type Outcome, outcomeOf, type RunContext } from '../deps.js';
import { classifyAssets, type Sandwiched } from './classify-assets.js';
import { saveBalance } from './save-balance.js';

/** Each costs two calls or more; those that were asked for longest ago come first. */
const MOST_ASSETS = 100;
/** Of those that nobody holds: with 100 of them, and a run each quarter of an hour, each has its turn every 5 hours. */
const IDLE_PER_RUN = 5;

/**
 * STORY of one poll of the operating balances (specification 4.18): every asset is read, the records that move balances
 * are read, every asset is read again; what agrees is classified: opening + movements = balance. Complete: every asset is.
 */
export async function reconcileBalances(run: RunContext): Promise<Outcome> {
  const { db } = run.deps;
  if (!(await holdsCatalog(db))) await readCatalogIfOffered(run);
  const assets = await knownAssets(db);
  const { asked, idle, waiting } = turnOf(assets, run.options.full);
  const sandwiched = await classifyAssets(run, asked, (asset, found) => saveBalance(run, asset, found));
  run.tally.seen += sandwiched.size;
  run.progress({ seen: sandwiched.size, calls: run.tally.calls, oldest: null, total: assets.length });
  const reasons = whyIncomplete(sandwiched);
  if (waiting > 0) reasons.push(`${counted(waiting, 'asset has its', 'assets have their')} turn in the next run`);
  return outcomeOf(reasons, { ...countsOf(sandwiched), ...(idle > 0 ? { idle } : {}) });
}

/** `idle`: so many are zero, were never moved, and have their turn another time; the balances of the others wait. */
function turnOf(assets: readonly KnownAsset[], all: boolean): { asked: string[]; idle: number; waiting: number } {
  const held = assets.filter(({ idle }) => all || !idle);
  const others = assets.filter(({ idle }) => !all && idle);
  const asked = [...held.slice(0, MOST_ASSETS), ...others.slice(0, IDLE_PER_RUN)];
  return {
    asked: asked.map(({ assetCode }) => assetCode),
    idle: Math.max(0, others.length - IDLE_PER_RUN),
    waiting: Math.max(0, held.length - MOST_ASSETS),
  };
}

/** Without a catalog there are still the assets that records name. */
async function readCatalogIfOffered(run: RunContext): Promise<void> {
  try {
    await readCatalog(run);
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof RefusedError)) throw error;
  }
}

function whyIncomplete(sandwiched: ReadonlyMap<string, Sandwiched>): string[] {
  const reasons = new Map<string, string[]>();
  for (const [asset, { verdict }] of sandwiched) {
    const reason = verdict.type === 'unproven' ? verdict.reason : verdict.classified.verdict.unproven;
    if (reason !== null) reasons.set(reason, [...(reasons.get(reason) ?? []), asset]);
  }
  return [...reasons].map(([reason, assets]) => `${named(assets)}: ${reason}`);
}

function countsOf(sandwiched: ReadonlyMap<string, Sandwiched>): Record<string, unknown> {
  const classified = [...sandwiched.values()].flatMap(({ verdict }) => (verdict.type === 'compared' ? [verdict] : []));
  const caveats = new Set(classified.flatMap((verdict) => verdict.caveats));
  return {
    assets: sandwiched.size,
    agreed: classified.length,
    opened: classified.filter(({ opens }) => opens !== null).length,
    unexplained: classified.filter(({ classified }) => classified.verdict.unexplained !== '0').length,
    ...(caveats.size === 0 ? {} : { caveats: [...caveats] }),
  };
}
