import { isOwnUrl, type ListedEndpoint, type OwnAddress } from './endpoint-rules.js';
import type { HistoryKnown } from './report-standing.js';
import { lackingEvents } from './secret-verdict.js';

/** A payment in a state that an event reports. Times in ms of the service's clock. */
export interface ShownState {
  eventType: string;
  /** Null: the service does not say when the payment was made. */
  createdAt: number | null;
  /** When a list was the first to show it so. */
  shownAt: number;
}

/** What is known of the event of a state. */
export interface GenerationEvidence {
  /** A delivery of that type names the payment, to whichever endpoint. */
  delivered: boolean;
  /** An event came that the history lacks, and that may be this one. */
  came: boolean;
  /** A delivery since the payment was made names no payment that we can read: it may be this one's. */
  unnamed: boolean;
  /** The service generated an event of that type before. */
  isUsual: boolean;
}

/** Of an endpoint, since when it is what it is. */
export interface WatchedEndpoint extends ListedEndpoint {
  createdAt: number | null;
  /** When a poll was the first to show it as it is now; null: that is not known. */
  sameSince: number | null;
}

/** `unknown`: nothing proves that it was, or that it was not. */
export type Generation = 'generated' | 'never' | 'unknown';

export interface GenerationRules {
  known: HistoryKnown | null;
  graceMs: number;
  own: OwnAddress;
  /** Those that the service listed after the history was read. */
  endpoints: readonly WatchedEndpoint[];
}

/**
 * Whether the service generated the event of a state. That it did not takes a history that was read over the payment's whole
 * life and the grace after it, and an endpoint of ours that was there, active and subscribed, all that time.
 */
export function generationOf(state: ShownState, evidence: GenerationEvidence, rules: GenerationRules): Generation {
  const { delivered, came, unnamed, isUsual } = evidence;
  if (delivered) return 'generated';
  const { createdAt, shownAt, eventType } = state;
  const { known, graceMs, own, endpoints } = rules;
  if (came || unnamed || !isUsual || known === null || createdAt === null) return 'unknown';
  const isRead = known.from < createdAt && shownAt + Math.max(0, graceMs) < known.readAt;
  const isDue = (endpoint: WatchedEndpoint) =>
    isOwnUrl(endpoint.url, own) === true && isSubscribed(endpoint, eventType) && isSince(endpoint, createdAt);
  return isRead && endpoints.some(isDue) ? 'never' : 'unknown';
}

function isSubscribed({ isActive, events }: WatchedEndpoint, eventType: string): boolean {
  return isActive === true && events !== null && lackingEvents([eventType], events).length === 0;
}

/** It was made, and seen as it is now, before that. */
function isSince({ createdAt, sameSince }: WatchedEndpoint, at: number): boolean {
  return createdAt !== null && createdAt < at && sameSince !== null && sameSince < at;
}
