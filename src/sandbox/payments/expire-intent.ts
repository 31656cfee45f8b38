import type { Merchant } from '../service.js';
import { type Intent, setStatus } from './intent.js';

/** Takes an intent that nobody paid out of the open ones. A payment on its way keeps it open. */
export function expireIntent(merchant: Merchant, id: string): void {
  endIfUnpaid(merchant, id, 'expired');
}

/** False when the intent is not open any more. */
export const cancelIntent = (merchant: Merchant, id: string): boolean => endIfUnpaid(merchant, id, 'cancelled');

export function isUnpaid(intent: Intent): boolean {
  return (intent.status === 'waiting_address_selection' || intent.status === 'pending') && intent.payins.length === 0;
}

function endIfUnpaid(merchant: Merchant, id: string, status: 'expired' | 'cancelled'): boolean {
  const intent = merchant.intents.edit(id);
  if (!intent || !isUnpaid(intent)) return false;
  setStatus(intent, status, merchant.service.clock.now());
  merchant.intents.saved(intent);
  merchant.emit(`payment_intent.${status}`, intent);
  return true;
}
