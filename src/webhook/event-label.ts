import { knownEventTypes } from './event-kinds.js';

/** An event's type as a label of a metric: whoever sends events can't make up ever new ones. */
export function eventLabel(type: string): string {
  return knownEventTypes.has(type) ? type : 'other';
}
