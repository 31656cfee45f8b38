import { canonicalHash } from '../canonical-json.js';
import { isFinal } from '../family/states.js';
import { isoTime } from '../in-words.js';
import type { JsonObject } from '../json.js';
import { textField } from '../records.js';
import type { BreakDefinition, Findings } from './findings.js';

/** Each is found, and resolved, by `checkPayouts` in a run of payouts: what a `check` opened, the next run would resolve. */
export const payoutBreaks = {
  payout_stuck: {
    severity: 'high',
    sharedBy: ['/ours/status'],
    means: 'An open payout has not moved for PAYOUT_GRACE_SECONDS.',
    ends: 'It moves.',
    remedy: 'See its failureReason; ask the service.',
  },
  payout_untracked: {
    severity: 'medium',
    sharedBy: ['/ours/status'],
    means: 'The service has no list of payouts, and nothing has shown this open one for PAYOUT_GRACE_SECONDS.',
    ends: 'Something shows it.',
    remedy: 'Check the service’s dashboard.',
  },
} as const satisfies Record<string, Omit<BreakDefinition, 'check'>>;

/** Found by what finance says of the bank (src/records/books/settlements.ts). */
export const settlementBreaks = {
  settlement_late: {
    severity: 'medium',
    sharedBy: { none: 'Each settlement has its own way to the bank.' },
    means:
      'The crypto leg of a settlement is confirmed, and nobody has said that the money arrived for SETTLEMENT_DAYS.',
    ends: 'Finance marks it as arrived, on the page Settlements.',
    remedy:
      'Look for it on the bank’s statement and mark it. If it is not there, ask the service, with the payout’s ID.',
  },
  settlement_short: {
    severity: 'high',
    sharedBy: { none: 'Each settlement has its own difference.' },
    means: 'Less money arrived from a settlement than its crypto leg was worth, and finance can’t explain the rest.',
    ends: 'Finance marks it anew: with the whole amount, or the rest as fees.',
    remedy: 'Ask the service for its rate and fees, with the payout’s ID. Then mark it anew.',
  },
  settlement_over: {
    severity: 'high',
    sharedBy: { none: 'Each settlement has its own difference.' },
    means: 'More money arrived from a settlement than its crypto leg was worth, and finance can’t explain it.',
    ends: 'Finance marks it anew: with the right amount, or the difference as the rate.',
    remedy: 'Read the bank’s statement again; ask the service for its rate, with the payout’s ID. Then mark it anew.',
  },
} as const satisfies Record<string, Omit<BreakDefinition, 'check'>>;
export const settlementBreakKinds = Object.keys(settlementBreaks) as readonly (keyof typeof settlementBreaks)[];
type PayoutBreak = keyof typeof payoutBreaks;
const kinds = Object.keys(payoutBreaks) as readonly PayoutBreak[];

/** A payout as it stands in our books. Times in ms. */
export interface PayoutInHand {
  id: string;
  fields: JsonObject;
  listed: boolean;
  createdAt: number | null;
  updatedAt: number | null;
  firstSeenAt: number;
  /** When the newest thing that we know of it was true, and where that comes from. */
  observedAt: number;
  observedBy: { type: string; ref: string };
}

export interface PayoutCheck {
  now: number;
  /** Older payouts are history. */
  adoptedAt: number;
  graceMs: number;
  offersList: boolean;
}

/** `payout_stuck`: not moved for longer than the grace. `payout_untracked`: no list shows it, and nothing has spoken of it for so long. */
export function checkPayouts(payouts: readonly PayoutInHand[], about: PayoutCheck): Findings<PayoutBreak> {
  const findings: Findings<PayoutBreak> = { open: [], resolve: [] };
  for (const payout of payouts) {
    const wrong = problemOf(payout, about);
    const entity = { kind: 'payout', id: payout.id } as const;
    for (const kind of kinds) {
      const evidence = evidenceOf(payout, about);
      if (kind === wrong) findings.open.push({ kind, entity, evidence, cause: causeOf(payout) });
      else findings.resolve.push({ kind, entity });
    }
  }
  return findings;
}

function problemOf(payout: PayoutInHand, about: PayoutCheck): PayoutBreak | null {
  const { fields, listed, createdAt, observedAt } = payout;
  if (isFinal('payout', textField(fields, 'status'))) return null;
  if (createdAt !== null && Math.max(createdAt, lastMoveOf(payout)) < about.adoptedAt) return null;
  const isOld = (since: number): boolean => about.now - since > about.graceMs;
  if (listed && about.offersList) return isOld(lastMoveOf(payout)) ? 'payout_stuck' : null;
  // A list is there, and does not show it: whether it is missing is for the poll of the list to prove.
  if (about.offersList || !isOld(Math.max(observedAt, lastMoveOf(payout)))) return null;
  return textField(fields, 'failureReason') === null ? 'payout_untracked' : 'payout_stuck';
}

/** Written off, it is a new case when it moves. */
function causeOf(payout: PayoutInHand): string {
  const { fields } = payout;
  return canonicalHash([fields['status'] ?? null, fields['failureReason'] ?? null, isoTime(lastMoveOf(payout))]);
}

function lastMoveOf({ createdAt, updatedAt, firstSeenAt }: PayoutInHand): number {
  return Math.max(updatedAt ?? 0, createdAt ?? firstSeenAt);
}

function evidenceOf(payout: PayoutInHand, { now, graceMs, offersList }: PayoutCheck): JsonObject {
  const { fields, observedAt, observedBy } = payout;
  const since = lastMoveOf(payout);
  return {
    ours: {
      status: fields['status'] ?? null,
      amount: fields['amount'] ?? null,
      assetCode: fields['assetCode'] ?? null,
      failureReason: fields['failureReason'] ?? null,
      lastMoveAt: isoTime(since),
      ageHours: String(Math.floor((now - since) / 3_600_000)),
    },
    theirs: {
      list: offersList ? 'offered' : 'not offered',
      lastShownAt: isoTime(observedAt),
      source: { ...observedBy },
    },
    graceHours: String(Math.round(graceMs / 3_600_000)),
  };
}
