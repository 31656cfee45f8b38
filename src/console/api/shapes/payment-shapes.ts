import { z } from 'zod';
import { told } from './parts.js';
import { amounts, flags, history, open, recordShape, texts, times, whole, word } from './record-shape.js';

const payinFields = {
  ...amounts('amountGross', 'amountNet', 'feeAmount'),
  ...texts('assetCode', 'txid'),
  ...times('createdAt'),
};

/** Specification 2.1; what only the direct creation answers is there where it was seen. */
export const paymentIntentShape = recordShape(
  'PaymentIntent',
  { description: 'A payment to collect.', idExample: 'pi_1' },
  {
    status: word('Such as pending, confirming, completed, expired, unmatched, cancelled.', 'completed'),
    irregularStatus: word('The dispute: none, pending_decision, encashed, refunded.', 'none'),
    merchantReference: word('The reference of the order.', 'A-1001'),
    currencyRequested: word('Fiat or crypto.', 'EUR'),
    assetCode: word('The asset that the customer chose.', 'USDT.TRON'),
    ...texts('requestedCurrencyType', 'source', 'invoiceId', 'productId', 'posTerminalId'),
    ...texts('customerRefundAddress', 'irregularActionBy', 'irregularRefundPayoutId', 'customerEmail'),
    ...texts('returnUrl', 'paymentLink', 'depositAddress'),
    ...amounts('amountRequested', 'amountCryptoExpected', 'totalAmountReceived', 'amountNetMerchant'),
    ...amounts('feeAmountTotal', 'amountInRange', 'amountRejected', 'amountToRefund', 'feeAmountOnRange'),
    ...amounts('feeAmountOnRejected', 'amountToSend'),
    ...times('irregularActionAt', 'createdAt', 'expiresAt'),
    ...open('paymentResult', 'metadata', 'memo', 'memoType', 'expiryHours'),
    acceptedCoins: told(z.array(z.string()).nullish(), 'Asset codes offered to the customer.', ['USDT.TRON']),
    payins: told(
      z.array(z.looseObject({ id: z.string(), status: word('As of a payin.', 'confirmed'), ...payinFields })).nullish(),
      'Its deposits, in short.',
      [],
    ),
    ...history,
  },
);

/** Specification 2.2. */
export const payinShape = recordShape(
  'Payin',
  { description: 'A deposit that came in.', idExample: 'in_1' },
  {
    status: word('Such as pending, confirming, confirmed, unmatched.', 'confirmed'),
    kytStatus: word('What the screening of the deposit said.', 'approved'),
    paymentIntentId: word('The payment that it belongs to.', 'pi_1'),
    payinType: word('blockchain, merchant_deposit or internal_transfer.', 'blockchain'),
    accountId: word('The sub-wallet that it went to, where the service or an event of the deposit names it.', 'wa_1'),
    ...payinFields,
    ...texts('depositAddress', 'senderAddress', 'addressPurpose'),
    ...amounts('kytRiskScore'),
    ...whole('confirmations'),
    ...history,
  },
);

/** Specification 2.3. */
export const invoiceShape = recordShape(
  'Invoice',
  { description: 'An invoice to a customer.', idExample: 'inv_1' },
  {
    status: word('draft, sent, paid, expired or cancelled.', 'paid'),
    currency: word('Fiat or crypto.', 'EUR'),
    paymentIntentId: word('The payment that paid it.', 'pi_1'),
    merchantReference: word('The reference of the order, where the contract names where it stands.', 'A-1001'),
    ...texts('customerEmail', 'customerName', 'assetCode', 'description', 'paymentLink'),
    ...amounts('amount'),
    ...times('expiresAt', 'createdAt'),
    ...open('meta', 'emailDelivery'),
  },
);

/** Specification 2.9. */
export const productShape = recordShape(
  'Product',
  { description: 'A product: a permanent payment link.', idExample: 'prod_1' },
  {
    name: word('Its name.', 'Mug'),
    ...texts('description', 'currency', 'assetCode', 'permanentLinkSlug', 'imageUrl', 'paymentLink'),
    ...amounts('amount'),
    ...flags('isActive'),
    ...times('createdAt'),
    ...open('stats'),
  },
);
