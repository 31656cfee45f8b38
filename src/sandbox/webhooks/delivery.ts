import { iso } from '../base/iso-time.js';
import type { Endpoint } from './endpoints.js';
import type { EventReferences } from './event-subject.js';

/** Something that happened, frozen as text at that moment. All endpoints get the same. */
export interface ServiceEvent {
  number: number;
  id: string;
  type: string;
  data: string;
  references: EventReferences;
  /** Where the id is shown. */
  idPlace: 'none' | 'envelope' | 'header';
}

interface Attempt {
  at: number;
  httpStatus: number | null;
  error: string | null;
  durationMs: number;
}

export interface Delivery {
  number: number;
  id: string;
  endpoint: Endpoint;
  event: ServiceEvent;
  /** Unix seconds in the envelope of the newest attempt. */
  timestamp: number;
  status: 'pending' | 'succeeded' | 'failed';
  attempts: Attempt[];
  responseBody: string | null;
  responseHeaders: string | null;
  nextRetryAt: number | null;
  createdAt: number;
}

/** The body of specification 6.1. */
export function envelopeText(event: ServiceEvent, timestamp: number): string {
  const id = event.idPlace === 'envelope' ? `"id":${JSON.stringify(event.id)},` : '';
  return `{${id}"event":${JSON.stringify(event.type)},"timestamp":${timestamp},"data":${event.data}}`;
}

/** The record of specification 2.13 as JSON text; the payload is what was sent, digit for digit. */
export function deliveryJson(delivery: Delivery): string {
  const last = delivery.attempts.at(-1);
  const record = {
    id: delivery.id,
    endpointId: delivery.endpoint.id,
    endpointUrl: delivery.endpoint.url,
    eventType: delivery.event.type,
    status: delivery.status,
    httpStatus: last?.httpStatus ?? null,
    responseBody: delivery.responseBody,
    attempts: delivery.attempts.length,
    lastAttemptAt: last ? iso(last.at) : null,
    nextRetryAt: delivery.nextRetryAt === null ? null : iso(delivery.nextRetryAt),
    createdAt: iso(delivery.createdAt),
    attemptsList: delivery.attempts.map(({ at, httpStatus, error, durationMs }, index) => ({
      attempt: index + 1,
      attemptedAt: iso(at),
      httpStatus,
      error,
      durationMs,
    })),
  };
  const payload = envelopeText(delivery.event, delivery.timestamp);
  const headers = delivery.responseHeaders ?? 'null';
  return `${JSON.stringify(record).slice(0, -1)},"responseHeaders":${headers},"payload":${payload}}`;
}
