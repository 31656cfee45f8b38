export interface TableColumn {
  key: string;
  label: string;
  /**
   * `text`: others may have written it; `word`: ours. Exact decimal strings are `amount` (of the row's asset), `quoted` (of the
   * currency named beside it) and `value` (of the reporting currency).
   */
  as: 'text' | 'word' | 'amount' | 'quoted' | 'value' | 'time' | 'date';
  /** Of a `text`: the service's short words. */
  isShort?: true;
}

const text = (key: string, label: string): TableColumn => ({ key, label, as: 'text' });
const short = (key: string, label: string): TableColumn => ({ ...text(key, label), isShort: true });
export const word = (key: string, label: string): TableColumn => ({ key, label, as: 'word' });
export const amount = (key: string, label: string): TableColumn => ({ key, label, as: 'amount' });
const quoted = (key: string, label: string): TableColumn => ({ key, label, as: 'quoted' });
const value = (key: string, label: string): TableColumn => ({ key, label, as: 'value' });
const time = (key: string, label: string): TableColumn => ({ key, label, as: 'time' });
const date = (key: string, label: string): TableColumn => ({ key, label, as: 'date' });

const asset = short('asset', 'Asset');
const order = text('order', 'Order');
const made = time('createdAt', 'Created (UTC)');
const booked = date('bookedOn', 'Booked on');
const payout = [
  text('id', 'Payout'),
  short('type', 'Type'),
  short('status', 'Status'),
  order,
  text('payment', 'Payment'),
  made,
  booked,
  asset,
  amount('amount', 'Amount shown'),
  amount('booked', 'Booked'),
  amount('fee', 'Fee'),
  amount('paid', 'Left the balance'),
  value('value', 'Value'),
  text('txid', 'Transaction'),
] as const;

/** A line of an entry in money. */
export const journalColumns: readonly TableColumn[] = [
  word('number', 'Number'),
  date('date', 'Date'),
  word('account', 'Account'),
  word('name', 'Name'),
  value('debit', 'Debit'),
  value('credit', 'Credit'),
  word('currency', 'Currency'),
  text('text', 'Text'),
  text('document', 'Document'),
  word('of', 'Of'),
  word('entry', 'Entry'),
  asset,
  amount('amount', 'Amount'),
  value('rate', 'Rate'),
  value('value', 'Exact value'),
  text('unpriced', 'No value because'),
];

/** An account in one asset: units, and exact values of them. */
export const accountColumns: readonly TableColumn[] = [
  word('account', 'Account'),
  word('name', 'Name'),
  asset,
  amount('opening', 'Opening'),
  amount('activity', 'Activity'),
  amount('closing', 'Closing'),
  value('openingValue', 'Opening value'),
  value('activityValue', 'Activity value'),
  value('closingValue', 'Closing value'),
  word('unpriced', 'Lines without a rate'),
  value('endRate', 'Rate at the end'),
  value('endValue', 'Worth at the end'),
  value('rateDifference', 'Rate difference, not posted'),
];

export const tableColumns = {
  orders: [
    order,
    short('status', 'Status'),
    time('registeredAt', 'Registered (UTC)'),
    quoted('expectedAmount', 'Expected'),
    short('expectedCurrency', 'Currency'),
    text('payments', 'Payments'),
    text('invoices', 'Invoices'),
    text('refunds', 'Refunds'),
    word('releaseSafe', 'Safe to release'),
    word('releaseReason', 'Why'),
    time('provenAt', 'Proven (UTC)'),
  ],
  payments: [
    text('id', 'Payment'),
    order,
    short('status', 'Status'),
    short('irregularStatus', 'Irregular'),
    made,
    quoted('requestedAmount', 'Requested'),
    short('requestedCurrency', 'Currency'),
    booked,
    asset,
    amount('gross', 'Gross'),
    amount('fee', 'Fee'),
    amount('net', 'Net'),
    amount('held', 'Held'),
    value('value', 'Value'),
  ],
  fees: [
    date('date', 'Date'),
    word('entry', 'Entry'),
    word('kind', 'Of'),
    text('record', 'Record'),
    word('account', 'Account'),
    word('name', 'Name'),
    asset,
    amount('amount', 'Amount'),
    amount('memo', 'Memo, not moved'),
    value('value', 'Value'),
  ],
  refunds: payout,
  payouts: payout,
  deposits: [
    text('id', 'Payin'),
    text('payment', 'Payment'),
    short('status', 'Status'),
    short('kytStatus', 'Screening'),
    asset,
    made,
  ],
  settlements: [
    text('id', 'Payout'),
    booked,
    asset,
    amount('amount', 'Settled'),
    value('value', 'Expected'),
    quoted('arrivedAmount', 'Arrived'),
    text('arrivedCurrency', 'Currency'),
    date('arrivedOn', 'Arrived on'),
    text('reference', 'Bank reference'),
    word('difference', 'The rest is'),
    text('note', 'Note'),
    text('markedBy', 'Said by'),
    time('markedAt', 'Said (UTC)'),
  ],
  transactions: [
    text('id', 'Transaction'),
    text('account', 'Sub-wallet'),
    short('type', 'Type'),
    asset,
    amount('amount', 'Amount'),
    amount('fee', 'Fee'),
    made,
  ],
  balances: [
    asset,
    amount('opening', 'Opening'),
    amount('activity', 'Activity'),
    amount('closing', 'Closing'),
    amount('balance', 'Service’s balance'),
    amount('frozen', 'Frozen'),
    time('readAt', 'Read (UTC)'),
    amount('unexplained', 'Unexplained'),
    word('unproven', 'Unproven because'),
  ],
  breaks: [
    word('id', 'Break'),
    word('severity', 'Severity'),
    word('kind', 'Kind'),
    word('entityKind', 'Of'),
    text('entity', 'Record'),
    word('status', 'Status'),
    time('openedAt', 'Opened (UTC)'),
    word('openedLater', 'After the month'),
  ],
  doubted: [
    word('id', 'Break'),
    word('kind', 'Kind'),
    text('payment', 'Payment'),
    order,
    value('value', 'Income'),
    word('unpriced', 'Lines without a rate'),
    word('counts', 'Counts: the payment stands here first'),
  ],
} as const satisfies Record<string, readonly TableColumn[]>;
