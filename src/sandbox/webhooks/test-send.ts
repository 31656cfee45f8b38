import { addressOf } from '../assets/address.js';
import { createIdCodec } from '../base/ids.js';
import { amountOf } from '../base/money.js';
import { hexOf } from '../base/random.js';
import { viewOf } from '../invoices/end-invoice.js';
import { INVOICE_STATUSES, type Invoice, invoiceSubject } from '../invoices/invoice.js';
import { intentSubject } from '../payments/intent-record.js';
import { PAYOUT_STATUSES, type Payout, type PayoutStatus, payoutSubject } from '../payouts/payout.js';
import type { Merchant } from '../service.js';
import { type Deposit, depositSubject } from '../wallets/deposit.js';
import { type Transfer, transferSubject } from '../wallets/transfer.js';
import type { Delivery } from './delivery.js';
import type { EventSubject } from './event-subject.js';
import { imaginedIntent } from './imagined-intent.js';
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

/** Beyond every record that a sandbox will ever hold. */
const IMAGINED = 0x0300_0000;
const ASSET = 'USDT.TRC20';

interface Dream {
  merchant: Merchant;
  eventType: string;
  n: number;
  at: number;
}

/** What a test send of such an event is about: a record as real ones look, that does not exist. null: of no kind here. */
function imaginedSubject(merchant: Merchant, eventType: string, n: number): EventSubject | null {
  const dream = { merchant, eventType, n, at: merchant.service.clock.now() - 60_000 };
  if (eventType.startsWith('payout.')) return payoutSubject(payoutOf(dream), merchant.service.faults.links);
  if (eventType.startsWith('invoice.')) return invoiceSubject(invoiceOf(dream), viewOf(merchant));
  if (eventType.startsWith('wallet_account.deposit.')) return depositSubject(depositOf(dream), merchant.service.faults);
  if (eventType.startsWith('wallet_account.transfer.')) return transferSubject(transferOf(dream));
  return null;
}

function idOf({ merchant, n }: Dream, prefix: string): string {
  return createIdCodec(merchant.seed, prefix).encode(IMAGINED + n);
}

const UNDER_REVIEW = 'held for a review by compliance';
const NOT_TAKEN = 'the network did not take the transaction';

/** How a payout gets there. */
const STEPS_TO: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['pending'],
  under_review: ['pending', 'under_review'],
  approved: ['pending', 'approved'],
  broadcast: ['pending', 'approved', 'broadcast'],
  confirmed: ['pending', 'approved', 'broadcast', 'confirmed'],
  failed: ['pending', 'approved', 'broadcast', 'failed'],
};

function payoutOf(dream: Dream): Payout {
  const { merchant, eventType, n, at } = dream;
  const status = PAYOUT_STATUSES.find((name) => eventType === `payout.${name}`) ?? 'pending';
  const steps = STEPS_TO[status];
  const isSent = steps.includes('broadcast');
  const failureReason = status === 'under_review' ? UNDER_REVIEW : status === 'failed' ? NOT_TAKEN : null;
  const history = steps.map((one) => ({
    status: one,
    at,
    source: one === 'broadcast' || one === 'confirmed' ? 'blockchain' : one === 'pending' ? 'api' : 'dashboard',
    note: one === status ? failureReason : null,
  }));
  return {
    id: idOf(dream, 'po'),
    number: IMAGINED + n,
    holder: 'operating',
    isPast: true,
    accountId: null,
    payoutType: 'withdrawal',
    assetCode: ASSET,
    amount: amountOf('25'),
    feeAmount: amountOf('1'),
    feeBearer: 'merchant',
    destinationType: 'blockchain',
    destinationAddress: addressOf(merchant.seed, 'imagined', n, ASSET),
    destinationMemo: null,
    merchantReference: `test-${n}`,
    note: null,
    paymentIntentId: null,
    status,
    kytStatus: steps.includes('approved') ? 'approved' : 'pending',
    failureReason,
    txid: isSent ? hexOf(merchant.seed, 'imagined-txid', n, 64) : null,
    networkFee: isSent ? amountOf('13.84') : null,
    networkFeeUsd: status === 'confirmed' ? amountOf('1.85') : null,
    createdAt: at,
    updatedAt: at,
    history,
  };
}

function invoiceOf(dream: Dream): Invoice {
  const status = INVOICE_STATUSES.find((name) => dream.eventType === `invoice.${name}`) ?? 'draft';
  return {
    id: idOf(dream, 'inv'),
    customerEmail: 'customer@example.com',
    customerName: 'A Customer',
    amount: '25',
    currency: 'USD',
    assetCode: null,
    description: null,
    meta: null,
    merchantReference: `test-${dream.n}`,
    language: null,
    collectCustomerInformation: false,
    settlementAccountId: null,
    status,
    paymentIntentId: status === 'paid' ? idOf(dream, 'pi') : null,
    openIntentId: null,
    expiresAt: null,
    createdAt: dream.at,
    updatedAt: dream.at,
  };
}

function depositOf(dream: Dream): Deposit {
  const { merchant, n, at } = dream;
  return {
    id: idOf(dream, 'dep'),
    number: IMAGINED + n,
    accountId: idOf(dream, 'wa'),
    assetCode: ASSET,
    amountGross: amountOf('25'),
    feeAmount: amountOf('0.25'),
    depositAddress: addressOf(merchant.seed, 'imagined', n, ASSET),
    senderAddress: addressOf(merchant.seed, 'imagined-sender', n, ASSET),
    txid: hexOf(merchant.seed, 'imagined-txid', n, 64),
    status: 'confirmed',
    kytStatus: 'approved',
    kytRiskScore: '1.25',
    confirmations: 3,
    createdAt: at,
    history: [
      { status: 'pending', at },
      { status: 'confirming', at },
      { status: 'confirmed', at },
    ],
  };
}

function transferOf(dream: Dream): Transfer {
  return {
    id: idOf(dream, 'tr'),
    fromAccountId: idOf(dream, 'wa'),
    toAccountId: null,
    assetCode: ASSET,
    amount: amountOf('25'),
    feeAmount: 0n,
    note: null,
    createdAt: dream.at,
  };
}
