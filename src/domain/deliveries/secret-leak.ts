import { LEARN_ENDPOINT, type SecretFacts } from './secret-verdict.js';

export interface SecretLeak {
  /** Events that the service did not send; null: it is not known. */
  notSent: number | null;
  /** Events of which the history can't say whether the service sent them, those that came just now among them. */
  unmatched: number;
  /** Those of them that the break `history_differs` counts while it is open. */
  lacking: number;
  /** Why it is not known, in words for people; null: it can. */
  untold: string | null;
}

export interface LeakFacts {
  secret: Pick<SecretFacts, 'label' | 'endpoint'>;
  hasMatched: boolean;
  notSent: number;
  unmatched: number;
  lacking: number;
  /** The service listed its endpoint when it was asked last. */
  endpointListed: boolean;
  /** The newest complete poll of the history is no older than a day. */
  historyKnown: boolean;
  historyReason: string | null;
}

/** What was found stays found, also while nothing new can be said. */
export function leakOf(facts: LeakFacts): SecretLeak {
  const { notSent, unmatched, lacking } = facts;
  const notKnown = facts.hasMatched ? notKnownOf(facts) : null;
  return { notSent: notSent === 0 && notKnown !== null ? null : notSent, unmatched, lacking, untold: notKnown };
}

function notKnownOf({ secret, lacking, endpointListed, historyKnown, historyReason }: LeakFacts): string | null {
  if (lacking > 0) return `the delivery history lacks ${eventsOf(lacking)}, and may differ from what was sent`;
  if (!historyKnown)
    return `the delivery history was not read completely within a day${historyReason === null ? '' : `: ${historyReason}`}`;
  if (secret.endpoint === null)
    return `which endpoint signs with "${secret.label}" is not known yet: ${LEARN_ENDPOINT}`;
  return endpointListed ? null : `the service does not list the endpoint of "${secret.label}"`;
}

/** What a person does next where events were forged, or may be; null: nothing. */
export function leakWords({ label, notSent, lacking }: Pick<SecretLeak, 'notSent' | 'lacking'> & { label: string }) {
  if (notSent) {
    const more = lacking === 0 ? '' : `, and the delivery history lacks ${lacking} more`;
    return `This secret may have leaked: ${eventsOf(notSent)} that the service did not send came under "${label}"${more}. Rotate it now: “When a secret leaked”.`;
  }
  if (lacking === 0) return null;
  return `This secret may have leaked, or the history lacks events: it has not ${eventsOf(lacking)} that came under "${label}". Compare those that the break history_differs names with the service’s dashboard. If it does not show what they say, rotate: “When a secret leaked”.`;
}

/** What came, or would come, of saying that a secret leaked. */
export interface LeakDone {
  /** Events that the history lacked, and that count as not sent from now on. */
  disproved: number;
  undecided: number;
  orders: string[];
  breaks: Record<string, number>;
}

const MOST_NAMED = 20;

export function leakLines({ disproved, undecided, orders, breaks }: LeakDone): string[] {
  const closed = Object.entries(breaks).map(([kind, n]) => `${n} ${kind}`);
  const named = orders.slice(0, MOST_NAMED).join(', ');
  const more = orders.length > MOST_NAMED ? ` and ${orders.length - MOST_NAMED} more` : '';
  return [
    `not sent by the service: ${eventsOf(disproved)} that the delivery history lacked while it was in doubt`,
    `orders that are other than before: ${orders.length === 0 ? 'none' : named + more}`,
    `breaks resolved: ${closed.length === 0 ? 'none' : closed.join(', ')}`,
    ...(undecided === 0
      ? []
      : [
          `not decided yet: ${eventsOf(undecided)}. Keep its endpoint until they are, and run: tallyhook reconcile endpoints deliveries`,
        ]),
  ];
}

const eventsOf = (n: number): string => (n === 1 ? '1 event' : `${n} events`);
