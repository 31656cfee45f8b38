import { intentSubject } from '../payments/intent-record.js';
import type { Merchant } from '../service.js';
import type { Delivery } from './delivery.js';
import { imaginedIntent } from './imagined-intent.js';
import { imaginedSubject } from './imagined-records.js';
import type { Webhooks } from './webhooks.js';

/**
 * The dashboard's test send: identical to a real event, of a record that does not exist (specification 6.1). Only
 * looking the record up shows the difference.
 */
export function testSend(merchant: Merchant, webhooks: Webhooks, endpointId: string, eventType: string): Delivery {
  const endpoint = webhooks.endpoints.get(endpointId);
  const n = webhooks.log.count();
  const subject =
    imaginedSubject(merchant, eventType, n) ??
    intentSubject(imaginedIntent(merchant, eventType, n), merchant.service.baseUrl);
  return webhooks.send(endpoint, eventType, subject);
}
