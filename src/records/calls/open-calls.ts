/**
 * The service denies what a call of our own made. Of `call`: no absence outranks it, and until the list shows the payout
 * again, or a person decides, nobody knows which of the two is right.
 */
export const DENIED = `call.operation = 'createRefund' AND call.status = 'done'
  AND EXISTS (SELECT FROM payouts WHERE payouts.id = call.object_id AND payouts.absent_since IS NOT NULL)`;

/**
 * A refund that was written down before it was sent and of which the records don't know what came: under way, unanswered,
 * lost, answered and not taken in, or denied by the service's list. Of `call`.
 */
export const OPEN = `call.operation = 'createRefund' AND (call.withholds OR (${DENIED}))`;
