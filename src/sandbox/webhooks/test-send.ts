import { createIdCodec } from '../base/ids.js';
import { amountOf } from '../base/money.js';
import { applyAmounts } from '../payments/amounts.js';
import { INTENT_STATUSES, type Intent, setPayinStatus, setStatus } from '../payments/intent.js';
import { intentSubject } from '../payments/intent-record.js';
import { blankIntent, chooseAsset } from '../payments/new-intent.js';
import { createPayin } from '../payments/payin.js';
import type { Merchant } from '../service.js';
import type { Delivery } from './delivery.js';
import { imaginedSubject } from './imagined-records.js';
import type { Webhooks } from './webhooks.js';

/**
 * The dashboard's test send: identical to a real event, of a record that does not exist (specification 6.1). Only
 * looking the record up tells the difference.
 */
export function testSend(merchant: Merchant, webhooks: Webhooks, endpointId: string, eventType: string): Delivery {
  const endpoint = webhooks.endpoints.get(endpointId);
  const n = webhooks.log.count();
  const subject =
    imaginedSubject(merchant, eventType, n) ??
    intentSubject(imaginedIntent(merchant, eventType, n), merchant.service.baseUrl);
  return webhooks.send(endpoint, eventType, subject);
}

function imaginedIntent(merchant: Merchant, eventType: string, n: number): Intent {
  const { seed, service } = merchant;
  const at = service.clock.now() - 60_000;
  const status = INTENT_STATUSES.find((name) => eventType === `payment_intent.${name}`) ?? 'completed';
  const position = IMAGINED + n;
  const ids = createIdCodec(seed, 'pi');
  const intent = blankIntent(ids.encode(position), position, at, {
    amount: amountOf('25'),
    currencyRequested: 'USDT.TRC20',
    requestedCurrencyType: 'crypto',
    acceptedCoins: ['USDT.TRC20'],
    assetCode: 'USDT.TRC20',
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
  chooseAsset({ seed, rates: service.rates, at }, intent, 'USDT.TRC20');
  setStatus(intent, 'pending', at, 'api');
  if (status === 'completed' || status === 'confirming') {
    const payin = createPayin({ seed, ids: merchant.payinIds, intent, amount: amountOf('25'), at, late: false });
    intent.payins.push(payin);
    setPayinStatus(payin, status === 'completed' ? 'confirmed' : 'confirming', at);
    setStatus(intent, 'confirming', at);
    if (status === 'completed') applyAmounts(intent, 0n);
  }
  if (status !== intent.status) setStatus(intent, status, at);
  return intent;
}

/** Beyond every payment that a sandbox will ever hold. */
const IMAGINED = 0x0300_0000;
