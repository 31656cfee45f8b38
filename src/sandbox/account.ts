import { createHistory, NO_HISTORY } from './history/history.js';
import { expireIntent } from './payments/expire-intent.js';
import { createMerchant, type Merchant, merchantIds, type Service } from './service.js';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.js';

/** A merchant with its own webhook endpoints. */
export interface Account {
  merchant: Merchant;
  webhooks: Webhooks;
}

export function openAccount(service: Service, seed: number, payments: number): Account {
  const { settings, clock } = service;
  const startedAt = clock.now();
  const ids = merchantIds(seed);
  const history =
    payments === 0
      ? NO_HISTORY
      : createHistory({
          count: payments,
          seed,
          startedAt,
          intentIds: ids.intents,
          payinIds: ids.payins,
          payoutIds: ids.payouts,
          settings,
        });
  const merchant = createMerchant(service, seed, history);
  const webhooks = createWebhooks(service, seed);
  merchant.emit = (eventType, intent) => webhooks.emit(eventType, intent);
  for (const status of ['pending', 'waiting_address_selection'] as const) {
    for (const { id, expiresAt } of merchant.intents.withStatus(status)) {
      clock.at(expiresAt, () => expireIntent(merchant, id));
    }
  }
  return { merchant, webhooks };
}
