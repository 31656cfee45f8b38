import type { Knex } from 'knex';
import { isIdentityKept } from '../../domain/balances/balance-proof.js';
import type { HeldResidual } from '../../domain/balances/unnamed-payouts.js';
import type { JsonObject } from '../../domain/json.js';
import { compareAmounts, isAmount } from '../../domain/money.js';
import type { Observation } from '../../domain/observation.js';
import { keepRates } from '../../records/balances/balance-assets.js';
import {
  type ClassifiedBalance,
  followResidual,
  lockProof,
  openPosition,
  saveClassified,
  saveUnproven,
} from '../../records/balances/balance-proofs.js';
import { sumAttributed } from '../../records/balances/balance-sums.js';
import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';
import type { ReadBalance } from './read-balance.js';

/** What is written of one asset: what was read, and what came of judging it. */
export type Verdict =
  | { type: 'judged'; classified: ClassifiedBalance; opens: boolean; caveats: readonly string[] }
  | { type: 'unproven'; reason: string; held?: HeldResidual };

/** One transaction for each asset: the record, its rate, its proof and its breaks. */
export async function saveBalance(
  run: RunContext,
  assetCode: string,
  { read, earlier = null }: { read: ReadBalance | null; earlier?: ReadBalance | null },
  verdict: Verdict,
): Promise<void> {
  const { deps, tally, fence, source } = run;
  const { db, now, adoptedAt } = deps;
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    const observations: Observation[] =
      read === null
        ? []
        : [
            {
              type: 'poll',
              kind: 'balance',
              id: assetCode,
              from: read.from,
              to: read.to,
              source,
              fields: read.fields,
            },
          ];
    const saved = await saveObservations(trx, observations, { now: now(), adoptedAt });
    if (read !== null) await keepRate(trx, assetCode, read);
    const identity = read === null ? 0 : await followIdentity(trx, assetCode, { read, earlier }, source.ref);
    const residual = await saveVerdict(trx, run, assetCode, verdict);
    return { changed: saved.changed, breaksOpened: saved.breaksOpened + identity + residual };
  });
}

async function saveVerdict(
  trx: Knex.Transaction,
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
  const { balance, at } = classified.poll;
  // What finance has attributed meanwhile would be open again by this judgement, and attributed twice.
  const before = (await lockProof(trx, assetCode))?.unexplained ?? null;
  const attributed = (await sumAttributed(trx)).get(assetCode) ?? '0';
  if (!opens && attributed !== classified.verdict.attributed) return 0;
  if (opens) await openPosition(trx, { assetCode, balance, at, now: deps.now() });
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
      source: 'GET /v1/wallet/balances/{assetCode}, two readings that agreed',
    },
    mayBe: [
      ...caveats,
      'a settlement, a deposit of your own or a payout of the dashboard that no list shows: attribute it with a note',
    ],
  };
}

/** Both readings of a pair must break it: one alone may be of a moment between two writes of the service. */
async function followIdentity(
  trx: Knex.Transaction,
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
    theirs: { balance, frozen, available, source: { type: 'poll', ref } },
  };
  return openBreaks(trx, [{ kind, entity, evidence }]);
}

async function keepRate(trx: Knex.Transaction, assetCode: string, { fields, from }: ReadBalance): Promise<void> {
  const shown = fields['usdRate'];
  if (!isAmount(shown)) return;
  const rate = compareAmounts(shown, '0') === 0 ? null : shown;
  await keepRates(trx, [{ assetCode, rate, seenAt: from, source: 'balance' }]);
}
