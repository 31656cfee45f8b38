import { ASSETS } from './assets/assets.js';
import { ONE, roundDown } from './base/money.js';
import { createHistory, NO_HISTORY } from './history/history.js';
import { addPastInvoices } from './history/past-invoices.js';
import { addPastPayouts } from './history/past-payouts.js';
import { pastProducts } from './history/past-products.js';
import { expireIntent } from './payments/expire-intent.js';
import { intentSubject } from './payments/intent-record.js';
import { createMerchant, type Merchant, type MerchantIdentity, merchantIds, type Service } from './service.js';
import type { SandboxSettings } from './settings.js';
import { addSettlementAccount } from './settlements/save-settlement-account.js';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.js';

/** A merchant with its own webhook endpoints. */
export interface Account {
  merchant: Merchant;
  webhooks: Webhooks;
}

export interface AccountOptions {
  seed: number;
  identity: MerchantIdentity;
  /** How much of each kind there was before the start. */
  past: Pick<SandboxSettings, 'payments' | 'invoices' | 'payouts'>;
  /** The mobile number that the merchant is settled to. */
  settlementAddress: string;
}

export function openAccount(service: Service, options: AccountOptions): Account {
  const { seed, identity, past, settlementAddress } = options;
  const { clock } = service;
  const history = past.payments === 0 ? NO_HISTORY : historyOf(service, seed, past.payments);
  const merchant = createMerchant(service, { seed, identity, history });
  const webhooks = createWebhooks(service, seed);
  merchant.send = (eventType, subject) => webhooks.emit(eventType, subject);
  merchant.emit = (eventType, intent) => webhooks.emit(eventType, () => intentSubject(intent, service.baseUrl));
  addSettlementAccount(merchant, {
    receptionAddress: settlementAddress,
    settlementPaymentMethodId: 'spm_mobile_money_tg',
    label: 'Till',
    maturesInSeconds: 0,
  });
  if (past.payments > 0 || past.invoices > 0 || past.payouts > 0) {
    openBooks(merchant);
    addPastRecords(merchant, past);
  }
  for (const status of ['pending', 'waiting_address_selection'] as const) {
    for (const { id, expiresAt } of merchant.intents.withStatus(status))
      clock.at(expiresAt, () => expireIntent(merchant, id));
  }
  return { merchant, webhooks };
}

function historyOf({ settings, clock, rates }: Service, seed: number, count: number) {
  const { intents: intentIds, payins: payinIds, payouts: payoutIds } = merchantIds(seed);
  return createHistory({ count, seed, rates, startedAt: clock.now(), intentIds, payinIds, payoutIds, settings });
}

/** What is left of the past after everything that was paid out of it. */
const OPENING_USD = 25_000n * ONE;

function openBooks({ ledger, service }: Merchant): void {
  for (const { assetCode, usdRate, decimals } of ASSETS) {
    if (usdRate === 0n) continue;
    const amount = roundDown((OPENING_USD * ONE) / usdRate, decimals);
    const lines = [
      { account: 'world', amount: -amount },
      { account: 'operating', amount },
    ] as const;
    ledger.post({ at: service.clock.now(), type: 'opening', assetCode, recordId: 'opening', lines });
  }
}

/** What past payments came from, and what was paid out of them. The ledger has been opened. */
function addPastRecords(
  merchant: Merchant,
  { invoices, payouts }: Pick<SandboxSettings, 'invoices' | 'payouts'>,
): void {
  const startedAt = merchant.service.clock.now();
  for (const product of pastProducts(merchant.seed, startedAt)) merchant.products.addMade(product);
  addPastInvoices(merchant, invoices);
  addPastPayouts(merchant, payouts);
}
