import type { BreakKind } from './break.js';

/** What a break of a kind means, and what to do: the words of docs/breaks.md, for whoever stands before one. */
export interface BreakWords {
  /** What is found. */
  means: string;
  /** When it closes by itself. */
  ends: string;
  remedy: string;
}

const notHere = 'Its event is here.';
const mendEndpoint = 'Switch it on, or subscribe it to what it lacks, in the service’s dashboard.';

export const breakWords: Readonly<Record<BreakKind, BreakWords>> = {
  phantom_delivery: {
    means: 'The service logged an answer 2xx of ours, and we hold no such event.',
    ends: 'It is recovered from the delivery history.',
    remedy:
      'Look at what stands before the receiver: a proxy with a default page, an old deployment or a tunnel that answers by itself.',
  },
  record_not_at_service: {
    means:
      'An event named a record that the service does not list, or a listed one vanished. “many”, about a secret: so many that one break counts them; the lists of records with verified=false have each.',
    ends: 'The service lists it after all. One that counts: with the secret, or by hand.',
    remedy:
      'Ship nothing on it. It is a test send, an event of another environment, or a secret in wrong hands. After a test send: resolve it. Many: rotate the secret (docs/rotate-secrets.md, “When a secret leaked”).',
  },
  duplicate_payment: {
    means: 'An order was paid twice: two payments, and more received than expected.',
    ends: 'The order is no longer paid twice.',
    remedy: 'Refund one of the two in the service’s dashboard.',
  },
  refund_exceeds_net: {
    means: 'The refunds of a payment are more than its net amount, or than what was received. Money may be leaving.',
    ends: 'A refund fails, or the service corrects an amount.',
    remedy:
      'Stop what is not confirmed yet, and ask who made the second refund. “refunds” in the evidence names them all.',
  },
  balance_residual: {
    means: 'A part of a balance that no record explains, in two readings that agree.',
    ends: 'A record that shows it is read.',
    remedy: 'Is it a settlement or a payout that no list shows? Then attribute it, with a note, at the balance.',
  },
  id_collision: {
    means: 'One event id stands for two records. Both events were applied.',
    ends: 'Never by itself.',
    remedy: 'EVENT_ID_POINTER points at something that is no event id: correct it, then resolve this by hand.',
  },
  event_not_sent: {
    means:
      'An event came under a secret of ours, and the service’s delivery history lacks it, or has its id with another content: the service did not send it. “many”: so many that one break counts them.',
    ends: 'The history lists it after all.',
    remedy:
      'Somebody may hold the secret: rotate it at once, with tallyhook secrets retire LABEL --leaked (docs/rotate-secrets.md, “When a secret leaked”). Nothing was released by it. A test send of the dashboard that the history lacks: resolve it, and set deliveries.testSends of the contract.',
  },
  missed_webhook: {
    means: 'A delivery never reached us, for longer than MISSED_GRACE_SECONDS.',
    ends: notHere,
    remedy:
      'It is recovered by itself, or now with “Recover”. Many of them: look at the network, the proxy and the receivers.',
  },
  rejected_delivery: {
    means: 'We refused an event that the service did send, for longer than MISSED_GRACE_SECONDS.',
    ends: notHere,
    remedy:
      'The refusal says why: a secret that is missing, a proxy that changes bodies, or a clock. Mend that; the event is recovered.',
  },
  endpoint_inactive: {
    means: 'No active endpoint of ours takes what this one was for.',
    ends: 'It is on, or another takes its place.',
    remedy: mendEndpoint,
  },
  endpoint_unsubscribed: {
    means: 'Our active endpoints lack an event type that is needed.',
    ends: 'They subscribe to it.',
    remedy: mendEndpoint,
  },
  history_differs: {
    means:
      'The delivery history lacks more than one in a hundred of the events that came in a day. So it is not known which of them the service did not send: they have no breaks of their own.',
    ends: 'A reading lacks no more than that. A critical one: the history lists them after all.',
    remedy:
      'Critical: all are under one secret, and the history has everything else, so that it may have leaked. Compare the events of “some” with the service’s dashboard; if it does not show them: tallyhook secrets retire LABEL --leaked (docs/rotate-secrets.md, “When a secret leaked”). Else ask the service what its history leaves out.',
  },
  order_amount_mismatch: {
    means:
      'A payment asks for more than the store registered, or in another currency; or it is not known what came in; or too many payments share the reference. “reason” says which.',
    ends: 'The payment ends unpaid, or asks for what is registered.',
    remedy: 'The store created the payment with another amount than it registered: look there.',
  },
  similar_reference_paid: {
    means: 'An order that the store did not register is paid, and a registered one that looks the same is not.',
    ends: 'The registered one is paid or withdrawn, or the other is registered.',
    remedy:
      'Ship nothing on it. “similarReferences” names the registered ones; the page of the order shows the characters in which they differ. Ask the customer, or refund.',
  },
  order_underpaid: {
    means: 'The store registered an amount, less came in, and no payment of the order is open any more.',
    ends: 'More comes in, or the money is given back.',
    remedy: 'Ask the customer for the rest, or refund.',
  },
  order_overpaid: {
    means: 'One payment brought more than registered.',
    ends: 'A refund brings it down.',
    remedy: 'Refund the difference, or agree with the customer.',
  },
  transaction_mismatch: {
    means: 'A movement is read otherwise than before.',
    ends: 'It is as it was.',
    remedy: 'Ask the service: a ledger does not change its past.',
  },
  invoice_paid_without_intent: {
    means:
      'An invoice is paid, and the payment that it names is unknown here, was not collected, or belongs to another invoice.',
    ends: 'The payment is read and collected.',
    remedy: 'Was it marked as paid by hand in the dashboard? Else run payment-intents, in full.',
  },
  intent_completed_invoice_unpaid: {
    means: 'A payment was collected half an hour ago, and its invoice is not paid.',
    ends: 'The invoice is paid.',
    remedy:
      'A payment after the invoice ended: refund it, or mark the invoice. The order counts the payment either way.',
  },
  payout_stuck: {
    means: 'An open payout has not moved for PAYOUT_GRACE_SECONDS.',
    ends: 'It moves.',
    remedy: 'Look at its failureReason; ask the service.',
  },
  kyt_hold: {
    means:
      'A deposit of a collected payment, or one that belongs to no payment, was rejected by the screening; or that of a payment has not passed it for an hour.',
    ends: 'It passes, or the payment is no longer collected.',
    remedy:
      'Pending: wait. Rejected: ask the service before shipping, or before using the money. Unknown: put the word on a list of the contract (kyt).',
  },
  refund_without_order: {
    means:
      'The service shows a refund, and nothing says of which payment or order. It holds none. “candidates” in the evidence names payments of the same asset that it may give back.',
    ends: 'Its payment becomes known, a person says whose it is, its reference names an order, or it fails.',
    remedy:
      'Where “ownCall” names a call of ours, its answer is lost and it may have made this: tallyhook calls settle KEY --as done:PAYOUT. Else ask who made it, in the dashboard, and say whose it is: tallyhook refunds assign PAYOUT --payment PI, or --payment none.',
  },
  refund_assigned_otherwise: {
    means:
      'A person said whose refund this is, and since then the service’s records name another payment. What the person said counts.',
    ends: 'The records no longer name another, or the refund is assigned again.',
    remedy: 'Look which of the two is right. Assign it again, with the same payment or the other.',
  },
  order_unknown_reference: {
    means: 'Money came in for an order that the store, which registers its orders, did not register.',
    ends: 'The store registers it.',
    remedy: 'A payment made by hand, or a reference that was typed wrong: “similarReferences” names what it may be.',
  },
  fee_identity: {
    means: 'Amounts that add up in this account’s payments don’t in this one.',
    ends: 'They do.',
    remedy: 'Ask the service. If its fees changed for good, docs/breaks.md says how to observe them anew.',
  },
  balance_identity: {
    means: 'Available is not balance − frozen, in two readings that agree.',
    ends: 'It is.',
    remedy: 'Ask the service.',
  },
  product_count: {
    means: 'A product counts another number of payments than there are here.',
    ends: 'The counts agree.',
    remedy: 'Run payment-intents, in full. If they still differ, ask the service which payments it counts.',
  },
  invoice_items_sum: {
    means: 'The items of an invoice add up to another amount, to the last digit.',
    ends: 'They add up.',
    remedy: 'Cancel it and create it anew.',
  },
  invoice_email_failed: {
    means: 'The service said that the e-mail of an invoice was not sent.',
    ends: 'The invoice is paid, expired or cancelled.',
    remedy: 'Send its paymentLink yourself.',
  },
  payout_untracked: {
    means: 'The service has no list of payouts, and nothing has shown this open one for PAYOUT_GRACE_SECONDS.',
    ends: 'Something shows it.',
    remedy: 'Look in the service’s dashboard.',
  },
  stale_record: {
    means: 'An open record was not read for a day though runs went through, or waits although it ended two days ago.',
    ends: 'It is read, or it ends.',
    remedy:
      'Not read: run the checks of the doctor, and look at the last runs of its kind. Not ended: cancel it in the dashboard, or write it off.',
  },
  dispute_outside_irregular: {
    means:
      'The service’s filter “irregular” does not list every open dispute. “exactlyPaid” and “amountDiffers” in the evidence say how many, and name examples.',
    ends: 'The filter lists a dispute of the sort that it missed, and misses none.',
    remedy:
      'Disputes outside the filter are found by the sweeps, within their period. Paid exactly: the specification allows it, write it off. Another amount: ask the service.',
  },
  contract_violation: {
    means:
      'Something the service sent breaks its specification. “rule” and “place” in the evidence say what and where.',
    ends: 'The record is read without it; a state that is on no list: never.',
    remedy:
      'It is kept as it came. A new state: look at what it means, then write it off. Critical ones left something unapplied: the record is read instead.',
  },
  secret_still_in_use: {
    means: 'A retired secret still signs deliveries.',
    ends: 'It no longer does.',
    remedy: 'Delete its endpoint in the service’s dashboard: docs/rotate-secrets.md, step 6.',
  },
};
