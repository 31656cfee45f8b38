import { z } from 'zod';
import { freeObject, time, url } from './parts.js';

/** Specification 2.12. */
export const webhookEndpointAnswer = z.strictObject({
  id: z.string(),
  url,
  events: z.array(z.string()),
  isActive: z.boolean(),
  createdAt: time,
});

const attempt = z.strictObject({
  attempt: z.int(),
  attemptedAt: time,
  httpStatus: z.int().nullable(),
  error: z.string().nullable(),
  durationMs: z.number(),
});

/** Specification 6.1; the id stands there where the faults say so. */
const payload = z.strictObject({
  id: z.string().optional(),
  event: z.string(),
  timestamp: z.int(),
  data: freeObject,
});

/** Specification 2.13. */
const delivery = z.strictObject({
  id: z.string(),
  endpointId: z.string(),
  endpointUrl: url,
  eventType: z.string(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  httpStatus: z.int().nullable(),
  responseBody: z.string().nullable(),
  responseHeaders: freeObject.nullable(),
  payload,
  attempts: z.int(),
  lastAttemptAt: time.nullable(),
  nextRetryAt: time.nullable(),
  createdAt: time,
  attemptsList: z.array(attempt),
});

/** Specification 4.22. */
export const deliveryPageAnswer = z.strictObject({ items: z.array(delivery), nextCursor: z.string().nullable() });
