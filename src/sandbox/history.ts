import { applyAmounts, receivedTotal } from './amounts.js';
import { ASSETS, findAsset } from './assets.js';
import { createPlan, DAY_MS, type HistoryPlan, type Outcome, type PastPayment } from './history-plan.js';
import type { IdCodec } from './ids.js';
import { expectedAmount, type Intent, type IntentStatus, setPayinStatus, setStatus } from './intent.js';
import { assetNumber, flagsOf } from './intent-index.js';
import type { History } from './intent-store.js';
import { amountOf, ONE, roundDown } from './money.js';
import { blankIntent, chooseAsset, type NewIntent } from './new-intent.js';
import { judge } from './pay-intent.js';
import { createPayin } from './payin.js';
import { createDraw, hexOf, pick } from './random.js';
import type { SandboxSettings } from './settings.js';

export interface HistoryInput {
  count: number;
  seed: number;
  /** Milliseconds; the history ends two minutes before. */
  startedAt: number;
  intentIds: IdCodec;
  payinIds: IdCodec;
  payoutIds: IdCodec;
  settings: SandboxSettings;
}

export const NO_HISTORY: History = {
  count: 0,
  sketch: () => ({ flags: 0, asset: 0 }),
  intent: () => {
    throw new Error('there is no history');
  },
};

/** Two years of payments, each made from its position alone whenever it is looked at. */
export function createHistory(input: HistoryInput): History {
  const { count, seed, startedAt, settings } = input;
  const plan = createPlan({ count, seed, startedAt, expirySeconds: settings.expirySeconds });
  const intent = (position: number): Intent => pastIntent(input, plan, position);
  return {
    count,
    intent,
    sketch: (position) => {
      const made = intent(position);
      return { flags: flagsOf(made), asset: assetNumber(made.assetCode) };
    },
  };
}

function pastIntent(input: HistoryInput, plan: HistoryPlan, position: number): Intent {
  const past = plan(position);
  const request = pastRequest(input, past, position);
  const intent = blankIntent(input.intentIds.encode(position), position, past.createdAt, request);
  if (past.outcome === 'waiting_address_selection') {
    setStatus(intent, 'waiting_address_selection', past.createdAt, intent.source);
    return intent;
  }
  chooseAsset(input.seed, intent, request.acceptedCoins[0] ?? '');
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
}

function rulePast({ payoutIds, startedAt }: HistoryInput, intent: Intent, { decision }: PastPayment): void {
  const at = Math.min(intent.updatedAt + DAY_MS, startedAt - 60_000);
  intent.irregularActionBy = 'usr_sandbox_operator';
  intent.irregularActionAt = at;
  intent.updatedAt = at;
  if (decision === 'refunded') {
    intent.irregularRefundPayoutId = payoutIds.encode(PAST_PAYOUTS + intent.position);
    return;
  }
  for (const payin of intent.payins) if (payin.status === 'unmatched') setPayinStatus(payin, 'confirmed', at);
  if (intent.status !== 'completed') setStatus(intent, 'completed', at, 'dashboard');
}

/** Payouts of the past are numbered from here on, those of the present from 0. */
const PAST_PAYOUTS = 0x4000_0000;

const FIATS: readonly [string, ...string[]] = ['USD', 'EUR', 'XOF', 'NGN'];
const COINS: readonly [string, ...string[]] = [ASSETS[0].assetCode, 'USDT.ERC20', 'BTC', 'ETH', 'XRP.XRPL', 'LTC'];
const SOURCES: readonly [string, ...string[]] = [
  'api',
  'api',
  'api',
  'api',
  'api',
  'api',
  'dashboard',
  'product',
  'pos',
  'invoice',
];

function pastRequest({ seed, settings }: HistoryInput, past: PastPayment, position: number): NewIntent {
  const draw = (stream: string): number => createDraw(seed, stream)(position);
  const source = past.longOpen ? 'invoice' : pick(SOURCES, draw('history-source'));
  const fiat = draw('history-fiat') < 0.6;
  const coin = pick(COINS, draw('history-coin'));
  const cents = BigInt(100 + Math.floor(draw('history-amount') * 50_000));
  return {
    amount: (cents * ONE) / (fiat ? 100n : 10_000n),
    currencyRequested: fiat ? pick(FIATS, draw('history-currency')) : coin,
    requestedCurrencyType: fiat ? 'fiat' : 'crypto',
    acceptedCoins: fiat ? [coin, 'USDC.POLYGON'] : [coin],
    assetCode: null,
    source,
    merchantReference: source === 'pos' ? null : `past-${String(position).padStart(7, '0')}`,
    metadata: draw('history-metadata') < 0.2 ? `{"cart":${position},"note":"n° ${position}"}` : null,
    invoiceId: source === 'invoice' ? `inv_${hexOf(seed, 'history-invoice', position, 24)}` : null,
    productId: source === 'product' ? `prod_${Math.floor(draw('history-product') * 20)}` : null,
    posTerminalId: source === 'pos' ? `pos_${Math.floor(draw('history-terminal') * 5)}` : null,
    customerEmail: draw('history-email') < 0.5 ? `customer${position}@example.com` : null,
    customerRefundAddress: null,
    returnUrl: null,
    expirySeconds: past.longOpen ? 90 * 86_400 : settings.expirySeconds,
  };
}
