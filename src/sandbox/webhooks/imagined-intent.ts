import { createIdCodec } from '../base/ids.js';
import { amountOf } from '../base/money.js';
import { applyAmounts, receivedTotal } from '../payments/amounts.js';
import { INTENT_STATUSES, type Intent, type IntentStatus, setPayinStatus, setStatus } from '../payments/intent.js';
import { blankIntent, chooseAsset } from '../payments/new-intent.js';
import { createPayin } from '../payments/payin.js';
import type { Merchant } from '../service.js';

/** Beyond every payment that a sandbox will ever hold. */
const IMAGINED = 0x0300_0000;
const ASSET = 'USDT.TRC20';

/** The payment that a test send of such an event is about: as a real one looks in that moment, but that does not exist. */
export function imaginedIntent(merchant: Merchant, eventType: string, n: number): Intent {
  const { settings, clock } = merchant.service;
  const state = eventType.slice(eventType.indexOf('.') + 1);
  const age = state === 'expired' ? settings.expirySeconds * 1000 : 60_000;
  const at = clock.now() - age;
  const intent = pendingIntent(merchant, { n, at, isChosenLate: state === 'pending' });
  const status = statusAt(state);
  const isPaid = status === 'completed' || status === 'confirming' || status === 'unmatched';
  if (isPaid) payImagined(merchant, intent, status, at);
  if (status !== intent.status) setStatus(intent, status, state === 'expired' ? intent.expiresAt : at);
  if (status === 'unmatched' || state.startsWith('dispute_')) disputeImagined(merchant, intent, state, n);
  return intent;
}

function statusAt(state: string): IntentStatus {
  if (state === 'created') return 'pending';
  return INTENT_STATUSES.find((name) => name === state) ?? 'completed';
}

/** A payment whose asset the customer chose, when it was made or `isChosenLate`. */
function pendingIntent(
  { seed, service }: Merchant,
  { n, at, isChosenLate }: { n: number; at: number; isChosenLate: boolean },
): Intent {
  const position = IMAGINED + n;
  const intent = blankIntent(createIdCodec(seed, 'pi').encode(position), position, at, {
    amount: amountOf('25'),
    currencyRequested: ASSET,
    requestedCurrencyType: 'crypto',
    acceptedCoins: [ASSET],
    assetCode: ASSET,
    source: 'api',
    merchantReference: `test-${n}`,
    metadata: null,
    invoiceId: null,
    productId: null,
    posTerminalId: null,
    customerEmail: null,
    customerRefundAddress: null,
    returnUrl: null,
    settlementAccountId: null,
    expirySeconds: service.settings.expirySeconds,
  });
  if (isChosenLate) setStatus(intent, 'waiting_address_selection', at, 'api');
  chooseAsset({ seed, rates: service.rates, at }, intent, ASSET);
  setStatus(intent, 'pending', at, isChosenLate ? 'customer' : 'api');
  return intent;
}

/** Exactly, or too little where it is to be unmatched. */
function payImagined({ seed, payinIds: ids }: Merchant, intent: Intent, status: IntentStatus, at: number): void {
  const amount = amountOf(status === 'unmatched' ? '10' : '25');
  const payin = createPayin({ seed, ids, intent, amount, at, late: false });
  intent.payins.push(payin);
  setPayinStatus(payin, 'confirming', at);
  setStatus(intent, 'confirming', at);
  if (status === 'confirming') return;
  payin.kytStatus = 'approved';
  setPayinStatus(payin, 'confirmed', at);
  applyAmounts(intent, 0n);
}

/** All that was received is in question, or was. */
function disputeImagined({ seed, service }: Merchant, intent: Intent, state: string, n: number): void {
  const decided = state === 'dispute_encashed' || state === 'dispute_refunded';
  if (state === 'dispute_encashed') intent.irregularStatus = 'encashed';
  else intent.irregularStatus = decided ? 'refunded' : 'pending_decision';
  if (decided) {
    intent.irregularActionBy = 'usr_sandbox_operator';
    intent.irregularActionAt = service.clock.now();
  }
  if (state === 'dispute_refunded') intent.irregularRefundPayoutId = createIdCodec(seed, 'po').encode(IMAGINED + n);
  applyAmounts(intent, receivedTotal(intent));
}
