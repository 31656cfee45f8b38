import { minuteOf } from '../in-words.js';
import { type AlertFacts, recoverCommand, type Sent, toRecover } from './facts.js';

export type Awaited = Pick<AlertFacts, 'awaited'>;
export const NOT_KNOWN: Awaited = { awaited: [] };

/** From the first that is not here, as far as the delivery history was read, and how many that takes in. */
export function recoverFrom(facts: Awaited): string {
  const { count, from } = toRecover(facts);
  const takes = count === 0 ? '' : ` takes in ${count}`;
  return `“${recoverCommand(from)}”${takes}`;
}

/** Conditions while which deliveries are lost: what is not here is to be recovered, also after their end. */
export const losingDeliveries: readonly string[] = [
  'TallyhookDown',
  'TallyhookNoWebhooks',
  'TallyhookNothingArrives',
  'TallyhookCanaryFails',
  'TallyhookNoSecretAccepted',
  'TallyhookInvalidSignatures',
  'TallyhookExpiredTimestamps',
  'TallyhookMissedDeliveries',
];

/** When what is not here was sent: from when recovery is to begin. */
export function sentWords({ from, to }: Sent): string {
  if (from === null || to === null) return '';
  const first = minuteOf(from);
  return first === minuteOf(to)
    ? ` Sent at ${first} UTC.`
    : ` The first was sent at ${first} UTC, the newest at ${minuteOf(to)} UTC.`;
}
