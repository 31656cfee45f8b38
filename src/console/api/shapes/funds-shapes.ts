import { z } from 'zod';
import { told } from './parts.js';
import { amounts, flags, history, open, recordShape, texts, times, word } from './record-shape.js';

/** Specification 2.4. */
export const payoutShape = recordShape(
  'Payout',
  { description: 'A withdrawal, a refund or the crypto leg of a settlement.', idExample: 'po_1' },
  {
    status: word('Such as pending, approved, confirmed, failed.', 'confirmed'),
    payoutType: word('What kind of payout it is.', 'crypto_withdrawal'),
    assetCode: word('The asset that is sent.', 'USDT.TRON'),
    ...texts('merchantReference', 'paymentIntentId', 'accountId', 'destinationAddress', 'destinationType'),
    ...texts('destinationMemo', 'networkFeeAssetCode', 'txid', 'txUrl', 'failureReason', 'feeBearer', 'kytStatus'),
    ...amounts('amount', 'feeAmount', 'networkFeeAmount', 'networkFeeUsdEquivalent'),
    ...times('createdAt', 'updatedAt'),
    ...open('metadata'),
    ...history,
  },
);

/** Specification 2.5. */
export const accountShape = recordShape(
  'Account',
  { description: 'A sub-wallet of an end user.', idExample: 'acc_1' },
  {
    status: word('active, frozen or closed.', 'active'),
    ...texts('label', 'externalRef', 'email', 'phoneNumber'),
    ...times('createdAt'),
  },
);

/** Interface: "a transaction"; its amounts have a sign. */
export const transactionShape = recordShape(
  'Transaction',
  { description: 'A movement of a sub-wallet.', idExample: 'tx_1' },
  {
    accountId: word('The sub-wallet.', 'acc_1'),
    assetCode: word('The asset that moved.', 'USDT.TRON'),
    type: word('What kind of movement it is.', 'transfer'),
    ...amounts('amount', 'feeAmount'),
    ...times('createdAt'),
  },
);

/** Specification 2.12. */
export const endpointShape = recordShape(
  'Endpoint',
  { description: 'A webhook endpoint at the service. Its secret is never part of it.', idExample: 'we_1' },
  {
    url: word('Where the service calls.', 'https://shop.example/webhooks'),
    events: told(z.array(z.string()).nullish(), 'Types that it subscribes to.', ['payment_intent.completed']),
    ...flags('isActive'),
    ...times('createdAt'),
  },
);

/** Specification 2.6. */
export const settlementAccountShape = recordShape(
  'SettlementAccount',
  { description: 'A fiat account that funds are settled to.', idExample: 'sa_1' },
  {
    ...texts('receptionAddress', 'label', 'settlementPaymentMethodId'),
    ...flags('isDefault', 'isMatured'),
    ...times('createdAt', 'maturedAt', 'revokedAt'),
    ...open('settlementPaymentMethod', 'paymentMethod'),
  },
);

/** Specification 2.11. */
export const assetShape = recordShape(
  'Asset',
  { description: 'An asset of the public catalog. Its id is the asset code.', idExample: 'USDT.TRON' },
  {
    assetCode: word('The id once more.', 'USDT.TRON'),
    ...texts('name', 'code', 'network', 'blockchainName', 'category', 'icon'),
    ...flags('memoRequired'),
    ...open('fees'),
  },
);
