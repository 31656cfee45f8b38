import type { RecordKind } from '../domain/records.js';

/** Names under which a payload may carry a record of a kind, or its id alone. Payload shapes: not shown (6.2). */
export interface RecordNames {
  wrappers: readonly string[];
  ids: readonly string[];
}

export const recordNames: Readonly<Record<RecordKind, RecordNames>> = {
  payment_intent: namesOf('paymentIntent'),
  payin: { wrappers: ['payin', 'payIn', 'pay_in'], ids: ['payinId', 'payInId', 'payin_id'] },
  invoice: namesOf('invoice'),
  payout: namesOf('payout', 'refund', 'withdrawal'),
  account: namesOf('account', 'walletAccount', 'subWallet'),
  transaction: namesOf('transaction', 'accountTransaction'),
  balance: namesOf('balance'),
  endpoint: namesOf('webhookEndpoint', 'endpoint'),
  settlement_account: namesOf('settlementAccount'),
  product: namesOf('product'),
  asset: namesOf('asset'),
};

/** `paymentIntent`, `payment_intent`; `paymentIntentId`, `payment_intent_id`. */
function namesOf(...names: string[]): RecordNames {
  const wrappers = names.flatMap((name) => [...new Set([name, snakeCase(name)])]);
  return { wrappers, ids: wrappers.map((name) => (name.includes('_') ? `${name}_id` : `${name}Id`)) };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
