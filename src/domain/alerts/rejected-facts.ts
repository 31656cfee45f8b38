import { putRightSecret, replacedWords } from '../deliveries/replaced-endpoint.js';
import type { Found } from './condition.js';
import type { AlertFacts } from './facts.js';
import { recoverRejected, setClock, thenRecoverRejected } from './recover-words.js';

/** What the service sends is rejected for its signature. */
export const refusesService = ({ sinceMatch, fiveMinutes, share }: AlertFacts['invalidSignatures']): boolean =>
  sinceMatch >= 3 || (fiveMinutes >= 3 && share > 0.2);

/** Late retries after an outage come beside new events that are taken. */
export const hardlyAnyIsTaken = ({ share }: AlertFacts['expiredTimestamps']): boolean => share > 0.9;

/** Whether an alert says it of all that were rejected for this reason. */
export function alertCounts(reason: string, facts: AlertFacts): boolean {
  const of = { invalid_signature: invalidSignatures, expired_timestamp: expiredTimestamps }[reason];
  return of !== undefined && of(facts).length > 0;
}

export function invalidSignatures(facts: AlertFacts): Found[] {
  const { rejected, secretsFrom, replacedEndpoints, missed, awaited } = facts;
  if (!refusesService(facts.invalidSignatures)) return [];
  const { sinceMatch } = facts.invalidSignatures;
  const all = allOf(rejected, 'invalid_signature', ({ likeService }) => likeService);
  const others = allOf(rejected, 'invalid_signature', ({ count }) => count).count - all.count;
  const some = others === 0 ? `${all.count}` : `${all.count} of ${all.count + others} rejected`;
  const carry = `${some} in the last hour ${all.count === 1 ? 'carries' : 'carry'} the service’s headers and a signature that no secret of ours made`;
  if (sinceMatch > 0) {
    const rejects = `${carry}${sinceMatch >= 3 ? ': none is taken' : ''}.`;
    const detail = [rejects, ...replacedEndpoints.map(replacedWords)].join(' ');
    const remedy = `${putRightSecret(replacedEndpoints, secretsFrom)} ${thenRecoverRejected({ awaited })}`;
    return [{ detail, ...all, remedy, alsoChecks: replacedEndpoints.flatMap(secretChecks) }];
  }
  // Not at once: whoever has a stolen secret could hide it by an event of theirs.
  const detail = `${carry}; none since one was right, and this ends within five minutes.`;
  const title = 'Webhooks were rejected for their signature, none since one was right';
  const isAllHere = missed !== null && awaited.length === 0;
  return [{ title, detail, ...all, remedy: isAllHere ? '' : recoverRejected({ awaited }) }];
}

export function expiredTimestamps({ expiredTimestamps: expired, rejected, awaited }: AlertFacts): Found[] {
  if (expired.halfHour < 3 || !hardlyAnyIsTaken(expired)) return [];
  const all = allOf(rejected, 'expired_timestamp', ({ count }) => count);
  const detail = `${all.count} in the last hour, and of the last half hardly any was taken: a clock is wrong, or nothing comes but late retries.`;
  return [{ detail, ...all, remedy: setClock({ awaited }) }];
}

/** What the doctor looks at of a secret, which its endpoint speaks against. */
export const secretChecks = ({ label }: { label: string }): string[] => ['secrets', `secret ${label}`];

/** All that were rejected for the reason, never the samples of them, and since when. */
function allOf(
  rejected: AlertFacts['rejected'],
  of: string,
  count: (one: AlertFacts['rejected'][number]) => number,
): { count: number; seconds?: number } {
  const one = rejected.find(({ reason }) => reason === of);
  return one === undefined ? { count: 0 } : { count: count(one), seconds: one.oldestSeconds };
}
