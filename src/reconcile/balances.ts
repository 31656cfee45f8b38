import { knownAssets } from '../records/balance-assets.js';
import { judgeAssets, type Sandwiched } from './balances/judge-assets.js';
import { saveBalance } from './balances/save-balance.js';
import { readCatalog } from './catalog/read-catalog.js';
import type { Outcome, RunContext } from './deps.js';

/** Each costs two calls or more; those that were asked for longest ago come first. */
const MOST_ASSETS = 100;

/**
 * STORY of one reading of the operating balances (specification 4.18): every asset is read, the records that move balances
 * are read, every asset is read again; what agrees is judged: opening + movements = balance. Complete: every asset is.
 */
export async function reconcileBalances(run: RunContext): Promise<Outcome> {
  const { db } = run.deps;
  let assets = await knownAssets(db);
  if (assets.length === 0) assets = await readCatalog(run);
  const asked = assets.slice(0, MOST_ASSETS);
  const sandwiched = await judgeAssets(run, asked);
  for (const [assetCode, { read, verdict }] of sandwiched) await saveBalance(run, assetCode, read, verdict);
  run.tally.seen += sandwiched.size;
  run.progress({ seen: sandwiched.size, calls: run.tally.calls, oldest: null, total: assets.length });
  const reasons = whyIncomplete(sandwiched);
  if (assets.length > asked.length)
    reasons.push(`${assets.length - asked.length} assets have their turn in the next run`);
  return {
    complete: reasons.length === 0,
    proof: { ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }), ...countsOf(sandwiched) },
    watermarks: new Map(),
  };
}

function whyIncomplete(sandwiched: ReadonlyMap<string, Sandwiched>): string[] {
  const reasons = new Map<string, string[]>();
  for (const [asset, { verdict }] of sandwiched) {
    const reason = verdict.type === 'unproven' ? verdict.reason : verdict.judged.judgement.unproven;
    if (reason !== null) reasons.set(reason, [...(reasons.get(reason) ?? []), asset]);
  }
  return [...reasons].map(([reason, assets]) => `${assets.join(', ')}: ${reason}`);
}

function countsOf(sandwiched: ReadonlyMap<string, Sandwiched>): Record<string, unknown> {
  const judged = [...sandwiched.values()].flatMap(({ verdict }) => (verdict.type === 'judged' ? [verdict] : []));
  const caveats = new Set(judged.flatMap((verdict) => verdict.caveats));
  return {
    assets: sandwiched.size,
    agreed: judged.length,
    opened: judged.filter(({ opens }) => opens).length,
    unexplained: judged.filter(({ judged }) => judged.judgement.unexplained !== '0').length,
    ...(caveats.size === 0 ? {} : { caveats: [...caveats] }),
  };
}
