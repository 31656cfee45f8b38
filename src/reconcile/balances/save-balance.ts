import { isIdentityKept } from '../../domain/balances/balance-proof.js';
import type { HeldResidual } from '../../domain/balances/unnamed-payouts.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { isAmount, isTotal, isZero, normalizeAmount, sameAmount, subtractAmounts } from '../../domain/money.js';
import type { Observation } from '../../domain/observation.js';
import { textField } from '../../domain/records.js';
import { keepRates } from '../../records/balances/balance-assets.js';
import {
  type ClassifiedBalance,
  followResidual,
  lockProof,
  type OpeningPosition,
  openPosition,
  saveClassified,
  saveUnproven,
} from '../../records/balances/balance-proofs.js';
import { sumAttributed } from '../../records/balances/balance-sums.js';
import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import type { Trx } from '../../records/database/statements.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import type { RunContext } from '../deps.js';
import { askIfShown } from '../service-reader.js';
import { saveContext, writeFenced } from '../write-fenced.js';

/** One balance as the service showed it (specification 2.8). Amounts are normalized; null: not shown, or no amount. */
export interface ReadBalance {
  fields: JsonObject;
  balance: string | null;
  frozen: string | null;
  available: string | null;
  from: number;
  to: number;
}

/** Null: the service does not know the asset, or refuses to show its balance. */
export async function readBalance(run: RunContext, assetCode: string): Promise<ReadBalance | null> {
  const reply = await askIfShown(run, 'getBalance', { path: { assetCode } });
  if (reply === null) return null;
  const { data, from, to } = reply;
  const fields = isJsonObject(data) ? data : {};
  const shown = textField(fields, 'assetCode');
  if (shown !== null && shown !== assetCode) return null;
  const amount = (name: string): string | null => {
    const value = fields[name];
    return isTotal(value) ? normalizeAmount(value) : null;
  };
  const [balance, frozen, available] = [amount('balance'), amount('frozen'), amount('available')];
  return { fields: { ...fields, id: assetCode }, balance, frozen, available, from, to };
}

/** Nothing moved between the two, as far as a balance shows. */
export function isSameBalance(a: ReadBalance, b: ReadBalance): boolean {
  return sameAmount(a.balance, b.balance) && sameAmount(a.frozen, b.frozen);
}

export type Verdict =
  | { type: 'compared'; classified: ClassifiedBalance; opens: OpeningPosition | null; caveats: readonly string[] }
  | { type: 'unproven'; reason: string; held?: HeldResidual };

/** One transaction for each asset: the record, its rate, its proof and its breaks. */
export async function saveBalance(
  run: RunContext,
  id: string,
  { read, earlier, verdict }: { read: ReadBalance | null; earlier: ReadBalance | null; verdict: Verdict },
): Promise<void> {
  const { deps, source } = run;
  await writeFenced({ ...deps, ...run }, async (trx) => {
    const observations: Observation[] = [];
    if (read !== null) {
      const { from, to, fields } = read;
      observations.push({ type: 'poll', kind: 'balance', id, from, to, source, fields });
    }
    const saved = await saveObservations(trx, observations, saveContext(deps));
    if (read !== null) await keepRate(trx, id, read);
    const identity = read === null ? 0 : await followIdentity(trx, id, { read, earlier }, source.ref);
    const residual = await saveVerdict(trx, run, id, verdict);
    return { changed: saved.changed, breaksOpened: saved.breaksOpened + identity + residual };
  });
}

async function saveVerdict(
  trx: Trx,
  { deps, fence }: RunContext,
  assetCode: string,
  verdict: Verdict,
): Promise<number> {
  const about = { now: deps.now(), runId: fence.runId };
  if (verdict.type === 'unproven') {
    const { reason, held } = verdict;
    await saveUnproven(trx, { assetCode, reason, ...(held ? { held } : {}), ...about });
    return 0;
  }
  const { classified, opens, caveats } = verdict;
  // What finance has attributed meanwhile would be open again by this comparison, and attributed twice.
  const before = (await lockProof(trx, assetCode))?.unexplained ?? null;
  const attributed = (await sumAttributed(trx)).get(assetCode) ?? '0';
  if (opens === null && attributed !== classified.verdict.attributed) return 0;
  if (opens !== null) await openPosition(trx, assetCode, { opening: opens, now: deps.now() });
  await saveClassified(trx, classified, about);
  return followResidual(trx, assetCode, { verdict: classified.verdict, before }, evidenceOf(classified, caveats));
}

function evidenceOf({ poll, verdict }: ClassifiedBalance, caveats: readonly string[]): JsonObject {
  const { explained, residual, unobservable, unexplained } = verdict;
  return {
    rule: 'balance = opening + movements + what no list shows',
    unexplained,
    residual,
    unobservable,
    ours: { explained, source: 'movements of payments, payouts and sub-wallets since the opening position' },
    theirs: {
      balance: poll.balance,
      frozen: poll.frozen,
      readAt: new Date(poll.at).toISOString(),
      source: 'GET /v1/wallet/balances/{assetCode}, polled twice',
    },
    mayBe: [
      ...caveats,
      'a settlement, a deposit of your own or a payout of the dashboard that no list shows: attribute it with a note',
    ],
  };
}

/** Both polls of a pair must break it: one alone may be of a moment between two writes of the service. */
async function followIdentity(
  trx: Trx,
  assetCode: string,
  { read, earlier }: { read: ReadBalance; earlier: ReadBalance | null },
  ref: string,
): Promise<number> {
  const kept = isIdentityKept(read);
  const kind = 'balance_identity';
  const entity = { kind: 'balance', id: assetCode } as const;
  if (kept === true) await autoResolveBreaks(trx, [{ kind, entity }]);
  if (kept !== false || earlier === null || isIdentityKept(earlier) !== false) return 0;
  const { balance, frozen, available } = read;
  const evidence = {
    rule: 'available = balance − frozen',
    ours: { available: balance === null || frozen === null ? null : subtractAmounts(balance, frozen) },
    theirs: { available, balance, frozen, source: { type: 'poll', ref } },
  };
  return openBreaks(trx, [{ kind, entity, evidence }]);
}

async function keepRate(trx: Trx, assetCode: string, { fields, from }: ReadBalance): Promise<void> {
  const shown = fields['usdRate'];
  if (!isAmount(shown)) return;
  const rate = isZero(shown) ? null : shown;
  await keepRates(trx, [{ assetCode, rate, seenAt: from, source: 'balance' }]);
}
