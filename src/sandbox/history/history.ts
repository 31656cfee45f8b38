import { findAsset } from '../assets/assets.js';
import type { Rates } from '../assets/rates.js';
import type { IdCodec } from '../base/ids.js';
import { amountOf, roundDown } from '../base/money.js';
import { applyAmounts, receivedTotal } from '../payments/amounts.js';
import { expectedAmount, type Intent, type IntentStatus, setPayinStatus, setStatus } from '../payments/intent.js';
import { assetNumber, flagsFor, flagsOf } from '../payments/intent-index.js';
import type { History } from '../payments/intent-store.js';
import { blankIntent, chooseAsset } from '../payments/new-intent.js';
import { judge } from '../payments/pay-intent.js';
import { createPayin } from '../payments/payin.js';
import type { SandboxSettings } from '../settings.js';
import { createPlan, DAY_MS, type Outcome, type PastPayment } from './history-plan.js';
import {
  createRequestDraws,
  type PastChoice,
  pastChoice,
  pastLinks,
  pastRequest,
  type RequestDraws,
} from './history-request.js';
import { pastProducts } from './past-products.js';

export interface HistoryInput {
  count: number;
  seed: number;
  rates: Rates;
  /** Milliseconds; the history ends two minutes before. */
  startedAt: number;
  intentIds: IdCodec;
  payinIds: IdCodec;
  payoutIds: IdCodec;
  settings: SandboxSettings;
}

const nobody = (): never => {
  throw new Error('there is no history');
};

export const NO_HISTORY: History = { count: 0, sketch: nobody, links: nobody, intent: nobody };

/** Two years of payments, each made from its position alone whenever it is read. */
export function createHistory(input: HistoryInput): History {
  const { count, seed, startedAt, settings } = input;
  const { expirySeconds, invoices, payouts } = settings;
  const plan = createPlan({ count, seed, startedAt, expirySeconds, hasPayouts: payouts > 0 });
  const draws = createRequestDraws({ seed, count, invoices, products: pastProducts(seed, startedAt) });
  const intent = (position: number): Intent => pastIntent(input, draws, plan(position), position);
  return {
    count,
    intent,
    links: (position) => pastLinks(draws, pastChoice(draws, plan(position), position), position),
    sketch(position) {
      const past = plan(position);
      const status = PLAIN[past.outcome];
      if (status !== undefined) return plainSketch(status, pastChoice(draws, past, position));
      const made = intent(position);
      return { flags: flagsOf(made), asset: assetNumber(made.assetCode) };
    },
  };
}

/** Outcomes that say all that lists filter by; the others depend on how amounts are rounded. */
const PLAIN: Partial<Record<Outcome, IntentStatus>> = {
  exact: 'completed',
  expired: 'expired',
  cancelled: 'cancelled',
  pending: 'pending',
  waiting_address_selection: 'waiting_address_selection',
};

function plainSketch(status: IntentStatus, { source, coin }: PastChoice): { flags: number; asset: number } {
  const linked = { product: source === 'product', terminal: source === 'pos', invoice: source === 'invoice' };
  return {
    flags: flagsFor({ status, differs: false, disputed: false, ...linked }),
    asset: status === 'waiting_address_selection' ? 0 : assetNumber(coin),
  };
}

function pastIntent(input: HistoryInput, draws: RequestDraws, past: PastPayment, position: number): Intent {
  const request = pastRequest(input, draws, past, position);
  const intent = blankIntent(input.intentIds.encode(position), position, past.createdAt, request);
  if (past.outcome === 'waiting_address_selection') {
    setStatus(intent, 'waiting_address_selection', past.createdAt, intent.source);
    return intent;
  }
  const { seed, rates } = input;
  chooseAsset({ seed, rates, at: past.createdAt }, intent, request.acceptedCoins[0] ?? '');
  setStatus(intent, 'pending', past.createdAt, intent.source);
  if (past.outcome === 'pending') return intent;
  const end: IntentStatus | null = unpaidEnd(past.outcome);
  if (end) setStatus(intent, end, end === 'cancelled' ? past.createdAt + 60_000 : intent.expiresAt);
  if (past.outcome !== 'expired' && past.outcome !== 'cancelled') settlePast(input, intent, past);
  return intent;
}

function unpaidEnd(outcome: Outcome): 'expired' | 'cancelled' | null {
  if (outcome === 'cancelled') return 'cancelled';
  return outcome === 'expired' || outcome === 'late' ? 'expired' : null;
}

/** Received per ten thousand of what was expected. */
const SENT: Partial<Record<Outcome, bigint>> = { slight: 10_012n, over: 11_500n, under: 6200n };

function settlePast(input: HistoryInput, intent: Intent, past: PastPayment): void {
  const { seed, payinIds: ids, settings } = input;
  const late = past.outcome === 'late';
  const at = late ? intent.expiresAt + 30_000 : past.createdAt + 20_000;
  const decimals = findAsset(intent.assetCode ?? '')?.decimals ?? 18;
  const expected = amountOf(expectedAmount(intent));
  const amount = roundDown((expected * (SENT[past.outcome] ?? 10_000n)) / 10_000n, decimals);
  const payin = createPayin({ seed, ids, intent, amount, at, late });
  intent.payins.push(payin);
  payin.firstBlockAt = at + 5000;
  payin.kytStatus = 'approved';
  setPayinStatus(payin, 'confirming', at + 5000);
  if (!late) setStatus(intent, 'confirming', at + 5000);
  setPayinStatus(payin, late ? 'unmatched' : 'confirmed', at + 25_000);
  const { status, rejected } = judge(intent, settings.toleranceBasisPoints);
  const inQuestion = past.outcome === 'disputed' ? receivedTotal(intent) : rejected;
  intent.irregularStatus = inQuestion > 0n ? past.decision : 'none';
  setStatus(intent, status, at + 25_000);
  if (inQuestion > 0n && past.decision !== 'pending_decision') rulePast(input, intent, past);
  applyAmounts(intent, inQuestion);
  // What the past brought in is part of the opening balance; what it holds is booked once somebody decides about it.
  intent.booked = { net: intent.amountNetMerchant, fees: intent.feeAmountTotal, held: '0' };
}

function rulePast({ payoutIds, startedAt }: HistoryInput, intent: Intent, { decision }: PastPayment): void {
  const at = Math.min(intent.updatedAt + DAY_MS, startedAt - 60_000);
  intent.irregularActionBy = 'usr_sandbox_operator';
  intent.irregularActionAt = at;
  intent.updatedAt = at;
  if (decision === 'refunded') {
    intent.irregularRefundPayoutId = payoutIds.encode(PAST_DISPUTE_REFUNDS + intent.position);
    return;
  }
  for (const payin of intent.payins) if (payin.status === 'unmatched') setPayinStatus(payin, 'confirmed', at);
  if (intent.status !== 'completed') setStatus(intent, 'completed', at, 'dashboard');
}

/** Payouts that gave disputed payments of the past back are numbered from here on, those of the present from 0. */
export const PAST_DISPUTE_REFUNDS = 0x4000_0000;
