import type { ListedEndpoint } from './endpoint-rules.js';
import { isOwnUrl, type OwnAddress } from './own-endpoint.js';
import type { HistoryKnown } from './report-standing.js';
import { lackingEvents } from './secret-verdict.js';

/** A payment in a state that an event reports. Times in ms of the service's clock. */
export interface ShownState {
  eventType: string;
  /** Null: the service does not say when the payment was made. */
  createdAt: number | null;
  /** When the service's list showed it so for the first time. */
  shownAt: number;
}

/** What the delivery history has since the payment was made. */
export interface GenerationEvidence {
  /** A delivery of that type names the payment, to whichever endpoint. */
  delivered: boolean;
  /** A delivery of that type names no payment that we can read: it may be this one's. */
  unnamed: boolean;
}

/** Of an endpoint, since when it is what it is. */
export interface WatchedEndpoint extends ListedEndpoint {
  createdAt: number | null;
  /** When it was seen to change last, its making left out; null: never. */
  changedAt: number | null;
}

/** `unknown`: nothing proves that it was, or that it was not. */
export type Generation = 'generated' | 'never' | 'unknown';

export interface GenerationRules {
  known: HistoryKnown | null;
  graceMs: number;
  own: OwnAddress;
  /** Those that the service lists. */
  endpoints: readonly WatchedEndpoint[];
}

/**
 * Whether the service generated the event of a state. That it did not takes a history that was read over the payment's whole
 * life and the grace behind it, and an endpoint of ours that was there, active and subscribed, all that time.
 */
export function generationOf(state: ShownState, evidence: GenerationEvidence, rules: GenerationRules): Generation {
  if (evidence.delivered) return 'generated';
  const { createdAt, shownAt, eventType } = state;
  const { known, graceMs, own, endpoints } = rules;
  if (evidence.unnamed || known === null || createdAt === null) return 'unknown';
  const isRead = known.from < createdAt && shownAt + Math.max(0, graceMs) < known.readAt;
  const isDue = (endpoint: WatchedEndpoint) =>
    isOwnUrl(endpoint.url, own) === true && isSubscribed(endpoint, eventType) && isSince(endpoint, createdAt);
  return isRead && endpoints.some(isDue) ? 'never' : 'unknown';
}

function isSubscribed({ isActive, events }: WatchedEndpoint, eventType: string): boolean {
  return isActive === true && events !== null && lackingEvents([eventType], events).length === 0;
}

/** It was made, and seen to change last, before that. */
function isSince({ createdAt, changedAt }: WatchedEndpoint, at: number): boolean {
  return createdAt !== null && createdAt < at && (changedAt === null || changedAt < at);
}
