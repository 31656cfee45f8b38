import { invalid, Refusal } from '../base/refusal.js';
import { book } from '../ledger/book.js';
import type { Merchant } from '../service.js';
import type { Payout } from './payout.js';

type Destination = Pick<Payout, 'destinationType' | 'destinationAddress'>;

/** Refuses an internal destination that is none, or the sender. One that the emulator does not know is somebody's all the same. */
export function checkInternalDestination(merchant: Merchant, destination: Destination): void {
  if (destination.destinationType === 'internal_email' && !destination.destinationAddress.includes('@'))
    throw invalid('destinationAddress: an e-mail is wanted');
  if (recipientOf(merchant, destination) === merchant)
    throw new Refusal(400, 'DESTINATION_INVALID', 'destinationAddress: the merchant itself');
}

/** What went to another merchant of the platform is a payin there (specification 2.2: `internal_transfer`), at once. */
export function creditRecipient(merchant: Merchant, payout: Payout): void {
  const recipient = recipientOf(merchant, payout);
  if (!recipient) return;
  const { assetCode, amount } = payout;
  const at = merchant.service.clock.now();
  const deposit = recipient.deposits.add((id, number) => ({
    id,
    number,
    accountId: null,
    assetCode,
    amountGross: amount,
    feeAmount: 0n,
    depositAddress: payout.destinationAddress,
    senderAddress: '',
    txid: '',
    status: 'confirmed',
    kytStatus: 'approved',
    kytRiskScore: '0',
    confirmations: 0,
    createdAt: at,
    history: [{ status: 'confirmed', at }],
    isInternal: true,
  }));
  const lines = [
    { account: 'world', amount: -amount },
    { account: 'operating', amount },
  ] as const;
  book(recipient, { at, type: 'deposit', assetCode, recordId: deposit.id, lines });
}

function recipientOf({ service }: Merchant, { destinationType, destinationAddress }: Destination): Merchant | null {
  if (destinationType === 'blockchain') return null;
  const wanted = destinationAddress.toLowerCase();
  const found = service.merchants.find(({ identity }) =>
    destinationType === 'internal_email' ? identity.email === wanted : identity.id === destinationAddress,
  );
  return found ?? null;
}
