import { z } from 'zod';
import { amount, anything, flag, id, integer, list, text } from './answer-fields.js';

/** Specification 2.7. */
export const settlementMethods = z.looseObject({
  provider: z.looseObject({ id: text, name: text }).nullish(),
  paymentMethods: z.array(
    z.looseObject({
      id: text,
      providerPaymentMethodId: text,
      providerPaymentMethodCode: text,
      minimumAmount: amount,
      addressPattern: text,
      addressFormatExample: text,
      displayName: text,
      accountType: text,
      country: text,
      network: text,
      currency: text,
    }),
  ),
});
export type SettlementMethods = z.output<typeof settlementMethods>;

/** Specification 2.10. */
export const merchantAsset = z.looseObject({ assetCode: id, isActive: flag });
export type MerchantAsset = z.output<typeof merchantAsset>;

/** Specification 2.13. `payload` is kept as it came. */
const webhookDelivery = z.looseObject({
  id: id,
  endpointId: text,
  endpointUrl: text,
  eventType: text,
  status: text,
  httpStatus: integer,
  responseBody: anything,
  responseHeaders: anything,
  payload: anything,
  attempts: integer,
  lastAttemptAt: text,
  nextRetryAt: text,
  createdAt: text,
  attemptsList: list,
});

/** Specification 4.22. */
export const deliveryPage = z.looseObject({ items: z.array(webhookDelivery), nextCursor: z.string().nullish() });
export type DeliveryPage = z.output<typeof deliveryPage>;
