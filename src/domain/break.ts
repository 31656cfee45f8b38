export type Severity = 'critical' | 'high' | 'medium' | 'low';

/**
 * What can be wrong, and how badly. Of `contract_violation` this is the severity where everything could be applied;
 * see `severityOf`.
 */
const severities = {
  phantom_delivery: 'critical',
  record_not_at_service: 'critical',
  duplicate_payment: 'critical',
  refund_exceeds_net: 'critical',
  balance_residual: 'critical',
  id_collision: 'critical',
  event_not_sent: 'critical',
  missed_webhook: 'high',
  rejected_delivery: 'high',
  endpoint_inactive: 'high',
  endpoint_unsubscribed: 'high',
  history_differs: 'high',
  order_amount_mismatch: 'high',
  similar_reference_paid: 'high',
  order_underpaid: 'high',
  order_overpaid: 'high',
  transaction_mismatch: 'high',
  invoice_paid_without_intent: 'high',
  intent_completed_invoice_unpaid: 'high',
  payout_stuck: 'high',
  kyt_hold: 'high',
  refund_without_order: 'high',
  refund_assigned_otherwise: 'high',
  order_unknown_reference: 'medium',
  fee_identity: 'medium',
  balance_identity: 'medium',
  product_count: 'medium',
  invoice_items_sum: 'medium',
  invoice_email_failed: 'medium',
  payout_untracked: 'medium',
  stale_record: 'medium',
  dispute_outside_irregular: 'medium',
  contract_violation: 'low',
  secret_still_in_use: 'low',
} as const satisfies Record<string, Severity>;

export type BreakKind = keyof typeof severities;

export const breakKinds = Object.keys(severities) as readonly BreakKind[];

/** @param leftUnapplied of a contract violation: something the service sent could not be applied because of it */
export function severityOf(kind: BreakKind, leftUnapplied = false): Severity {
  return kind === 'contract_violation' && leftUnapplied ? 'critical' : severities[kind];
}
