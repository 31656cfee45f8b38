import { acceptAgain, type SecretsFrom } from './last-secret.js';

/** `may_be_retired`: everything speaks for it. `keep`: something is missing. `undetermined`: nothing can say. */
export const secretVerdicts = ['retired', 'may_be_retired', 'keep', 'undetermined'] as const;
export type SecretVerdict = (typeof secretVerdicts)[number];

/** Whether a person may retire it: without the verdict only by force. `already`: it is retired. */
export function retirement({ verdict }: { verdict: SecretVerdict }, force: boolean): 'allowed' | 'already' | 'refused' {
  if (verdict === 'retired') return 'already';
  return verdict === 'may_be_retired' || force ? 'allowed' : 'refused';
}

export interface SecretFacts {
  label: string;
  retired: boolean;
  /** When it matched first, ms; null: never. */
  firstMatchAt: number | null;
  /** The endpoint that signs with it; null while that is not known. */
  endpoint: { id: string; isActive: boolean | null; events: readonly string[] | null } | null;
  /** Deliveries of its endpoint that the service is still at. */
  pending: number;
}

interface Listed extends SecretFacts {
  endpoint: { id: string; isActive: boolean | null; events: readonly string[] };
}

export interface Overlap {
  both: number;
  /** Events that came under the one to be retired and not under the other; a few of them. */
  onlyOld: readonly string[];
  onlyOldCount: number;
}

export interface VerdictFacts {
  secret: SecretFacts;
  others: readonly SecretFacts[];
  /** With the endpoint of this other secret. */
  overlap: (other: string) => Overlap;
  /** The delivery history was read completely not long ago. */
  historyKnown: boolean;
  /** Requests with the service's headers that were rejected for their signature lately, all of them. */
  rejected: number;
  secretsFrom: SecretsFrom;
}

export interface SecretClassification {
  verdict: SecretVerdict;
  /** What is missing, or what is not known, in words for people. */
  missing: string[];
  successor: string | null;
  /** What a person does next, with the step of docs/rotate-secrets.md. */
  next: string;
}

interface Lack {
  what: string;
  next: string;
}

/**
 * Whether a secret may be retired (algorithms: "Secret rotation"): a newer one matched, its endpoint is active and
 * subscribes to all that the old one's does, every event of the overlap that came under the old came under the new, and no
 * delivery of the old endpoint is pending.
 */
export function classifySecret(facts: VerdictFacts): SecretClassification {
  const { secret, others } = facts;
  const rivals = others.filter(({ retired }) => !retired);
  if (secret.retired) {
    const noneLeft = `No webhook is accepted: every secret is retired. ${acceptAgain(secret.label, facts.secretsFrom)} (step 5).`;
    const next = rivals.length === 0 ? noneLeft : afterRetirement(secret);
    return { verdict: 'retired', missing: [], successor: null, next };
  }
  if (rivals.length === 0) return withVerdict('keep', [alone(facts)]);
  const { firstMatchAt: since } = secret;
  if (since === null) return withVerdict('undetermined', [unmatched(facts)]);
  const matched = rivals.flatMap((one) => (one.firstMatchAt === null ? [] : [{ one, at: one.firstMatchAt }]));
  if (matched.length === 0) return withVerdict('keep', [waitsFor(rivals)]);
  const classified = matched.filter(({ at }) => at > since).map(({ one }) => classifyAgainst(facts, one));
  const order: SecretVerdict[] = ['may_be_retired', 'keep', 'undetermined'];
  const [best] = classified.sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  return best ?? withVerdict('keep', [newest(secret)]);
}

function classifyAgainst({ secret, overlap, historyKnown }: VerdictFacts, other: SecretFacts): SecretClassification {
  const unknown = unknownsOf(secret, other, historyKnown);
  if (unknown.length > 0) return withVerdict('undetermined', unknown, other.label);
  const missing = [
    ...endpointLacks(secret as Listed, other as Listed),
    ...overlapLacks(secret, other, overlap(other.label)),
  ];
  if (missing.length > 0) return withVerdict('keep', missing, other.label);
  const next = `Retire it: tallyhook secrets retire ${secret.label} (step 5).`;
  return { verdict: 'may_be_retired', missing: [], successor: other.label, next };
}

function endpointLacks(secret: Listed, { label, endpoint }: Listed): Lack[] {
  const inactive = {
    what: `the endpoint of "${label}" is not active`,
    next: `Switch the endpoint ${endpoint.id} on in the service’s dashboard (step 2).`,
  };
  const lacking = lackingEvents(secret.endpoint.events, endpoint.events).join(', ');
  const unsubscribed = {
    what: `the endpoint of "${label}" does not subscribe to ${lacking}`,
    next: `Subscribe the endpoint ${endpoint.id} to ${lacking} in the service’s dashboard (step 2).`,
  };
  return [...(endpoint.isActive === false ? [inactive] : []), ...(lacking === '' ? [] : [unsubscribed])];
}

function overlapLacks({ label, pending }: SecretFacts, other: SecretFacts, { onlyOld, onlyOldCount }: Overlap): Lack[] {
  const single = {
    what: `${onlyOldCount} ${onlyOldCount === 1 ? 'event' : 'events'} came under "${label}" and not under "${other.label}": ${onlyOld.slice(0, 5).join(', ')}`,
    next: `Find out why these did not come under "${other.label}". If you know, and they are here: tallyhook secrets retire ${label} --force --note "why" (step 4).`,
  };
  const underway = {
    what: `${pending === 1 ? '1 delivery' : `${pending} deliveries`} under "${label}" still pending`,
    next: 'Wait: the service is still at it (step 4).',
  };
  return [...(onlyOldCount > 0 ? [single] : []), ...(pending > 0 ? [underway] : [])];
}

const READ_HISTORY = 'tallyhook reconcile endpoints deliveries';
/** Where every event comes to two endpoints, only one that comes to one of them distinguishes their secrets. */
export const LEARN_ENDPOINT = `send a test to its endpoint from the dashboard, then run ${READ_HISTORY}`;

function unknownsOf(secret: SecretFacts, other: SecretFacts, historyKnown: boolean): Lack[] {
  const both = [secret, other];
  const unpaired = both.filter(({ endpoint }) => endpoint === null);
  const unlisted = both.filter(({ endpoint }) => endpoint !== null && endpoint.events === null);
  const learn = `To have it known, ${LEARN_ENDPOINT} (step 4).`;
  const next = `Run ${READ_HISTORY} (step 4).`;
  return [
    ...unpaired.map(({ label }) => ({ what: `which endpoint signs with "${label}" is not known yet`, next: learn })),
    ...unlisted.map(({ label }) => ({ what: `what the endpoint of "${label}" subscribes to is not known`, next })),
    ...(historyKnown ? [] : [{ what: `the delivery history was not read lately: ${READ_HISTORY}`, next }]),
  ];
}

function alone({ secret: { firstMatchAt, endpoint }, rejected }: VerdictFacts): Lack {
  const what = 'it is the only secret that is accepted';
  if (firstMatchAt === null) {
    const next = 'Wait for the first event, or send a test from the dashboard.';
    return { what, next: rejected > 0 ? `${copyAgain(rejected)}.` : next };
  }
  if (endpoint === null) {
    return {
      what,
      next: `Its endpoint has to be known, to see forged events and before a rotation: ${LEARN_ENDPOINT} (step 1).`,
    };
  }
  return {
    what,
    next: 'Nothing. To change it, make a new endpoint and add its secret beside this one (steps 2 and 3).',
  };
}

function unmatched({ secret: { label }, rejected }: VerdictFacts): Lack {
  const next = `Wait for the first event under "${label}", or send a test to its endpoint from the dashboard (step 3).`;
  return { what: 'it has not matched yet', next: rejected > 0 ? `${copyAgain(rejected)} (step 3).` : next };
}

/** Something signed with another secret than the configured ones came: the service's, or a stranger's. */
function copyAgain(rejected: number): string {
  return `${rejected} ${rejected === 1 ? 'request' : 'requests'} with the service’s headers ${rejected === 1 ? 'was' : 'were'} rejected for the signature within a day: if the service sent them, copy the secret of its endpoint from the dashboard again`;
}

function waitsFor(rivals: readonly SecretFacts[]): Lack {
  const names = rivals.map(({ label }) => `"${label}"`).join(', ');
  return { what: `${names} has not matched yet`, next: `Wait until ${names} has matched (step 3).` };
}

function newest({ endpoint }: SecretFacts): Lack {
  const next =
    endpoint === null ? `Keep it. Its endpoint has to be known: ${LEARN_ENDPOINT} (step 4).` : 'Keep it: it stays.';
  return { what: 'it is the newest that matched', next };
}

function afterRetirement({ endpoint }: SecretFacts): string {
  if (endpoint?.isActive !== false) {
    const which = endpoint === null ? 'its endpoint' : `the endpoint ${endpoint.id}`;
    return `Delete ${which} in the service’s dashboard (step 6).`;
  }
  return 'Its endpoint is gone or off: take it out of the configured secrets (step 7).';
}

export function lackingEvents(wanted: readonly string[], given: readonly string[]): string[] {
  return wanted.filter((type) => !given.some((pattern) => covers(pattern, type)));
}

function covers(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}

function withVerdict(
  verdict: SecretVerdict,
  lacks: readonly Lack[],
  successor: string | null = null,
): SecretClassification {
  const { next } = lacks[0] as Lack;
  return { verdict, missing: lacks.map(({ what }) => what), successor, next };
}
