import { z } from 'zod';
import { anything, flag, id, integer, list, text } from './fields.js';

/** Specification 2.12. */
export const webhookEndpoint = z.looseObject({
  id: id,
  url: text,
  events: z.array(z.string()).nullish(),
  isActive: flag,
  createdAt: text,
});
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;

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
