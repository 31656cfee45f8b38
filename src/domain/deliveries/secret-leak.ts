import type { SecretFacts } from './secret-verdict.js';

/** What the delivery history says of the events that came under a secret. */
export interface SecretLeak {
  /** Events that the service did not send; null: it can't be told. */
  notSent: number | null;
  /** Events of which the history can't tell whether the service sent them, those that came just now among them. */
  unmatched: number;
  /** Why it can't be told, in words for people; null: it can. */
  untold: string | null;
}

export interface LeakFacts {
  secret: Pick<SecretFacts, 'label' | 'endpoint'>;
  /** Anything came under it. */
  hasMatched: boolean;
  notSent: number;
  unmatched: number;
  /** The service listed its endpoint when it was asked last. */
  endpointListed: boolean;
  /** The newest complete reading of the history is no older than a day. */
  historyKnown: boolean;
  /** Why the newest reading was not complete. */
  historyReason: string | null;
}

/** What was found stays found, also while nothing new can be told. */
export function leakOf(facts: LeakFacts): SecretLeak {
  const { notSent, unmatched } = facts;
  const untold = facts.hasMatched ? untoldOf(facts) : null;
  return { notSent: notSent === 0 && untold !== null ? null : notSent, unmatched, untold };
}

function untoldOf({ secret, endpointListed, historyKnown, historyReason }: LeakFacts): string | null {
  if (!historyKnown) {
    return `the delivery history was not read completely within a day${historyReason === null ? '' : `: ${historyReason}`}`;
  }
  if (secret.endpoint === null) return `which endpoint signs with "${secret.label}" is not known yet`;
  return endpointListed ? null : `the service does not list the endpoint of "${secret.label}"`;
}

/** What a person does next where events were forged. */
export function leakWords({ label, notSent }: { label: string; notSent: number }): string {
  const events =
    notSent === 1 ? '1 event that the service did not send' : `${notSent} events that the service did not send`;
  return `This secret may have leaked: ${events} came under "${label}". Rotate it now: “When a secret leaked”.`;
}
