import { eventKey } from '../domain/event-key.js';
import type { Arrival, StoredArrival } from '../records/inbox/inbox.js';
import type { SigningSecret } from './match-signature.js';
import type { Envelope } from './parse-envelope.js';
import type { createUnsignedIds } from './unsigned-ids.js';
import { authenticate, type Reason, type Tolerance } from './verify-signature.js';

export interface ReceiveDeps {
  now: () => Date;
  secrets: { current(): readonly SigningSecret[] };
  tolerance: Tolerance;
  /** EVENT_ID_POINTER */
  eventIdPointer: string;
  /** createUnsignedIds */
  unsignedIds: ReturnType<typeof createUnsignedIds>;
  store: (arrival: Arrival) => Promise<StoredArrival>;
}

export type Received =
  | { outcome: 'stored'; id: string; duplicate: boolean; label: string }
  | { outcome: 'refused'; reason: Reason; detail: string; expired: Envelope | null }
  | { outcome: 'not_stored'; error: unknown };

/**
 * One webhook, from its bytes to its place in the inbox. `stored` means committed. Refuses in the order of the reasons
 * of verifySignature; never throws on anything a sender can choose.
 */
export async function receive(
  { now, secrets, tolerance, eventIdPointer, unsignedIds, store }: ReceiveDeps,
  { rawBody, headers }: { rawBody: Buffer; headers: Readonly<Record<string, string[] | undefined>> },
): Promise<Received> {
  const verdict = authenticate({ rawBody, headers, secrets: secrets.current(), now: now(), tolerance });
  if (!verdict.ok) {
    const expired = verdict.reason === 'expired_timestamp' ? verdict.envelope : null;
    return { outcome: 'refused', reason: verdict.reason, detail: verdict.detail, expired };
  }
  const { envelope, label } = verdict;
  const trusted = unsignedIds(headers);
  const key = eventKey({ envelope: envelope.document, headers: trusted, pointer: eventIdPointer });
  try {
    const { id, duplicate } = await store(arrivalOf(envelope, key, label, rawBody));
    return { outcome: 'stored', id, duplicate, label };
  } catch (error) {
    return { outcome: 'not_stored', error };
  }
}

function arrivalOf(envelope: Envelope, key: ReturnType<typeof eventKey>, label: string, body: Buffer): Arrival {
  return {
    key: key.key,
    keyType: key.keyType,
    eventId: key.eventId,
    contentHash: key.contentHash,
    eventType: envelope.event,
    timestamp: envelope.timestamp,
    source: 'webhook',
    secretLabel: label,
    mark: envelope.mark,
    body,
  };
}
