import { rejectedHold } from '../../domain/breaks/kyt-hold.js';
import { defaultKytWords, isRejected } from '../../domain/orders/kyt.js';
import { textField } from '../../domain/records.js';
import type { NewBreak } from '../breaks/breaks.js';
import type { SaveContext } from './save-context.js';
import type { MergedRecord } from './stored-record.js';

/**
 * A screening that the service itself shows as rejected, at once: of a deposit that belongs to no payment, where nothing else
 * would tell, and of one that was shown as anything else before, whose goods may be gone. The others hold an order, and are
 * told by the cross-check.
 */
export function rejectedScreenings(
  { kind, id, shown, before }: MergedRecord,
  { kytWords = defaultKytWords }: SaveContext,
): NewBreak[] {
  const { fields, verified, observedBy } = shown;
  if (kind !== 'payin' || !verified || !isRejected(fields, kytWords)) return [];
  const hasTurned = before?.verified === true && !isRejected(before.fields, kytWords);
  const ofPayment = textField(fields, 'paymentIntentId') !== null;
  if (ofPayment && !hasTurned) return [];
  const found = rejectedHold({ kind, id, fields, verified, observedBy }, null);
  return [{ kind: 'kyt_hold', entity: { kind, id }, ...found }];
}
