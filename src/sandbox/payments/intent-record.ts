import { findAsset } from '../assets/assets.js';
import { iso, isoOrNull } from '../base/iso-time.js';
import type { Service } from '../service.js';
import type { EventSubject } from '../webhooks/event-subject.js';
import { expectedAmount, type Intent, type Payin, type Transition } from './intent.js';

function transitions(history: Transition<string>[]): object[] {
  return history.map(({ status, at, source }) => ({ status, timestamp: iso(at), source }));
}

/** The service shows a refund address masked (specification 2.1). */
function mask(address: string | null): string | null {
  if (address === null) return null;
  return address.length <= 10 ? '****' : `${address.slice(0, 4)}****${address.slice(-4)}`;
}

function paymentResult(intent: Intent): object | null {
  if (intent.payins.length === 0) return null;
  return {
    amountExpected: expectedAmount(intent),
    amountReceived: intent.totalAmountReceived,
    payinCount: intent.payins.length,
  };
}

function payinSummary(payin: Payin): object {
  const { id, amountGross, amountNet, feeAmount, assetCode, status, txid, createdAt } = payin;
  return { id, amountGross, amountNet, feeAmount, assetCode, status, txid, createdAt: iso(createdAt) };
}

/** All fields of specification 2.1 except `metadata`, whose text must not pass through a JSON number. */
function intentFields(intent: Intent, baseUrl: string): object {
  return {
    id: intent.id,
    status: intent.status,
    amountRequested: intent.amountRequested,
    currencyRequested: intent.currencyRequested,
    requestedCurrencyType: intent.requestedCurrencyType,
    amountCryptoExpected: intent.amountCryptoExpected,
    assetCode: intent.assetCode,
    acceptedCoins: intent.acceptedCoins,
    totalAmountReceived: intent.totalAmountReceived,
    amountNetMerchant: intent.amountNetMerchant,
    feeAmountTotal: intent.feeAmountTotal,
    amountInRange: intent.amountInRange,
    amountRejected: intent.amountRejected,
    amountToRefund: intent.amountToRefund,
    feeAmountOnRange: intent.feeAmountOnRange,
    feeAmountOnRejected: intent.feeAmountOnRejected,
    source: intent.source,
    merchantReference: intent.merchantReference,
    invoiceId: intent.invoiceId,
    productId: intent.productId,
    posTerminalId: intent.posTerminalId,
    irregularStatus: intent.irregularStatus,
    paymentResult: paymentResult(intent),
    customerRefundAddress: mask(intent.customerRefundAddress),
    irregularActionBy: intent.irregularActionBy,
    irregularActionAt: isoOrNull(intent.irregularActionAt),
    irregularRefundPayoutId: intent.irregularRefundPayoutId,
    customerEmail: intent.customerEmail,
    returnUrl: intent.returnUrl,
    createdAt: iso(intent.createdAt),
    expiresAt: iso(intent.expiresAt),
    paymentLink: `${baseUrl}/pay/${intent.id}`,
    statusHistory: transitions(intent.history),
    payins: intent.payins.map(payinSummary),
  };
}

function withMetadata(fields: object, metadata: string | null): string {
  return `${JSON.stringify(fields).slice(0, -1)},"metadata":${metadata ?? 'null'}}`;
}

/** The payment intent as the list shows it: JSON text. Specification 2.1 does not name its metadata. */
export function listedIntentJson(intent: Intent, { baseUrl, faults }: Pick<Service, 'baseUrl' | 'faults'>): string {
  return faults.unnamedFields ? intentJson(intent, baseUrl) : JSON.stringify(intentFields(intent, baseUrl));
}

/** The payment intent as full events show it, with the metadata that they echo (specification 6.2): JSON text. */
export function intentJson(intent: Intent, baseUrl: string): string {
  return withMetadata(intentFields(intent, baseUrl), intent.metadata);
}

/** The answer of the direct creation: the intent with the fields for paying it (specification 2.1, 4.1). */
export function directJson(intent: Intent, baseUrl: string): string {
  const asset = findAsset(intent.assetCode ?? '');
  const direct = {
    ...intentFields(intent, baseUrl),
    depositAddress: intent.depositAddress,
    memo: intent.memo,
    memoType: intent.memo === null ? null : (asset?.memoType ?? null),
    amountToSend: expectedAmount(intent),
    expiryHours: (intent.expiresAt - intent.createdAt) / 3_600_000,
  };
  return withMetadata(direct, intent.metadata);
}

export function intentSubject(intent: Intent, baseUrl: string): EventSubject {
  const { id, status, irregularStatus, totalAmountReceived, assetCode, merchantReference } = intent;
  const few = { id, status, irregularStatus, totalAmountReceived, assetCode, merchantReference };
  return {
    name: 'paymentIntent',
    id,
    record: intentJson(intent, baseUrl),
    digest: withMetadata(few, intent.metadata),
    references: { paymentIntentId: id },
  };
}

/** Blocks on top of the payin so far: grows with the clock until the payin has what it needs. */
function confirmationsAt(payin: Payin, now: number, confirmationMs: number): number {
  if (payin.firstBlockAt === null) return 0;
  if (payin.status === 'confirmed' || confirmationMs <= 0) return payin.confirmationsNeeded;
  return Math.min(payin.confirmationsNeeded, 1 + Math.floor((now - payin.firstBlockAt) / confirmationMs));
}

/** The payin as specification 2.2 has it. */
export function payinRecord(payin: Payin, intentId: string, { settings }: Service, now: number): object {
  return {
    id: payin.id,
    paymentIntentId: intentId,
    payinType: 'blockchain',
    txid: payin.txid,
    amountGross: payin.amountGross,
    amountNet: payin.amountNet,
    feeAmount: payin.feeAmount,
    assetCode: payin.assetCode,
    depositAddress: payin.depositAddress,
    senderAddress: payin.senderAddress,
    addressPurpose: 'PAYMENT_INTENT',
    status: payin.status,
    kytStatus: payin.kytStatus,
    confirmations: confirmationsAt(payin, now, settings.confirmationSeconds * 1000),
    createdAt: iso(payin.createdAt),
    kytRiskScore: payin.kytRiskScore,
    statusHistory: transitions(payin.history),
  };
}
