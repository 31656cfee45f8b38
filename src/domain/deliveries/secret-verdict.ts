/** `may_be_retired`: everything speaks for it. `keep`: something is missing. `undetermined`: nothing can tell. */
export type SecretVerdict = 'retired' | 'may_be_retired' | 'keep' | 'undetermined';

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

/** What came while two secrets were both in use. */
export interface Overlap {
  both: number;
  /** Events that came under the one to be retired and not under the other; a few of them. */
  onlyOld: readonly string[];
  onlyOldCount: number;
}

export interface VerdictFacts {
  secret: SecretFacts;
  /** All other configured secrets. */
  others: readonly SecretFacts[];
  /** With the endpoint of this other secret. */
  overlap: (other: string) => Overlap;
  /** The delivery history was read completely not long ago. */
  historyKnown: boolean;
}

export interface SecretJudgement {
  verdict: SecretVerdict;
  /** What is missing, or what can't be told, in words for people. */
  missing: string[];
  /** The secret that takes its place. */
  successor: string | null;
}

/**
 * Whether a secret may be retired (algorithms: "Secret rotation"): a newer one matched, its endpoint is active and
 * subscribes to all that the old one's does, every event of the overlap that came under the old came under the new, and no
 * delivery of the old endpoint is pending.
 */
export function judgeSecret(facts: VerdictFacts): SecretJudgement {
  const { secret, others } = facts;
  if (secret.retired) return { verdict: 'retired', missing: [], successor: null };
  const rivals = others.filter(({ retired }) => !retired);
  if (rivals.length === 0) return told('keep', ['it is the only secret that is accepted']);
  if (secret.firstMatchAt === null) return told('undetermined', ['it has not matched yet']);
  const matched = rivals.filter(({ firstMatchAt }) => firstMatchAt !== null);
  if (matched.length === 0) return told('keep', [`${named(rivals)} has not matched yet`]);
  const newer = matched.filter(({ firstMatchAt }) => (firstMatchAt ?? 0) > (secret.firstMatchAt ?? 0));
  if (newer.length === 0) return told('keep', ['it is the newest that matched']);
  const judged = newer.map((successor) => judgeAgainst(facts, successor));
  const order: SecretVerdict[] = ['may_be_retired', 'keep', 'undetermined'];
  return judged.sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))[0] ?? told('undetermined', []);
}

function judgeAgainst({ secret, overlap, historyKnown }: VerdictFacts, other: SecretFacts): SecretJudgement {
  const successor = other.label;
  const unknown = unknownsOf(secret, other, historyKnown);
  if (unknown.length > 0) return told('undetermined', unknown, successor);
  const missing: string[] = [];
  if (other.endpoint?.isActive === false) missing.push(`the endpoint of "${other.label}" is not active`);
  const lacking = lackingEvents(secret.endpoint?.events ?? [], other.endpoint?.events ?? []);
  if (lacking.length > 0) {
    missing.push(`the endpoint of "${other.label}" does not subscribe to ${lacking.join(', ')}`);
  }
  const { onlyOld, onlyOldCount } = overlap(other.label);
  if (onlyOldCount > 0) {
    const few = onlyOld.slice(0, 5).join(', ');
    missing.push(`${onlyOldCount} event(s) came under "${secret.label}" and not under "${other.label}": ${few}`);
  }
  if (secret.pending > 0) missing.push(`${secret.pending} delivery(ies) under "${secret.label}" are still pending`);
  return told(missing.length === 0 ? 'may_be_retired' : 'keep', missing, successor);
}

function unknownsOf(secret: SecretFacts, other: SecretFacts, historyKnown: boolean): string[] {
  const unpaired = [secret, other].filter(({ endpoint }) => endpoint === null);
  const unlisted = [secret, other].filter(({ endpoint }) => endpoint !== null && endpoint.events === null);
  return [
    ...unpaired.map(({ label }) => `which endpoint signs with "${label}" is not known yet`),
    ...unlisted.map(({ label }) => `what the endpoint of "${label}" subscribes to is not known`),
    ...(historyKnown ? [] : ['the delivery history was not read lately: tallyhook reconcile endpoints deliveries']),
  ];
}

/** Types that the one subscribes to and the other does not. */
export function lackingEvents(wanted: readonly string[], given: readonly string[]): string[] {
  return wanted.filter((type) => !given.some((pattern) => covers(pattern, type)));
}

function covers(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}

function named(secrets: readonly SecretFacts[]): string {
  return secrets.map(({ label }) => `"${label}"`).join(', ');
}

function told(verdict: SecretVerdict, missing: string[], successor: string | null = null): SecretJudgement {
  return { verdict, missing, successor };
}
