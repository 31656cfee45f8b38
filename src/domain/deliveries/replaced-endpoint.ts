import { isoTime, named, secondOf } from '../in-words.js';
import { UNEXPLAINED } from '../rejection-words.js';
import { isOwnUrl, type ListedEndpoint } from './endpoint-rules.js';
import { placeOf, type SecretsFrom } from './last-secret.js';

/** The endpoint of a secret in use is gone, and another that is active is at the same address: its secret is missing here. */
export interface ReplacedEndpoint {
  label: string;
  endpointId: string;
  /** What took its place. */
  id: string;
  /** ISO 8601; null: the service does not say. */
  createdAt: string | null;
}

interface Made extends ListedEndpoint {
  /** ms of the service's clock. */
  createdAt: number | null;
}

interface Known {
  /** Secrets that are not retired, each with its endpoint, where the service lists that no more. */
  gone: readonly { label: string; endpoint: ListedEndpoint }[];
  /** Listed endpoints that no secret is known to be of. */
  listed: readonly Made[];
  /** When a secret matched last of which the endpoint is not known, ms; null: there is none. */
  matchedAt: number | null;
}

/** A secret that matched since one was made may be its own. */
export function findReplaced({ gone, listed, matchedAt }: Known): ReplacedEndpoint[] {
  const candidates = listed
    .filter(({ isActive }) => isActive !== false)
    .filter(({ createdAt }) => matchedAt === null || (createdAt !== null && createdAt > matchedAt))
    .toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
  return gone.flatMap(({ label, endpoint: { id: endpointId, url: publicUrl } }) => {
    const found = candidates.find(({ url }) => publicUrl !== null && isOwnUrl(url, { publicUrl, webhookPath: '' }));
    return found === undefined ? [] : [{ label, endpointId, id: found.id, createdAt: isoTime(found.createdAt) }];
  });
}

export function replacedWords({ label, endpointId, id, createdAt }: ReplacedEndpoint): string {
  const made = createdAt === null ? '' : `, made at ${secondOf(createdAt)} UTC,`;
  return `The endpoint of “${label}”, ${endpointId}, is gone at the service. ${id}${made} is at the same address: its secret is missing here.`;
}

/** What a person does whose secret is not right: where it is known, by the endpoint that it is of. */
export function putRightSecret(replaced: readonly Pick<ReplacedEndpoint, 'id'>[], from: SecretsFrom): string {
  const ids = [...new Set(replaced.map(({ id }) => id))];
  if (ids.length > 0) return `Put the secret of ${named(ids)}, prefix included, into ${placeOf(from)}.`;
  return `Put the endpoint’s secret, prefix included, into ${placeOf(from)}. The page Rejections says what was found.`;
}

/** The likely cause of what was rejected then, and the remedy: one that was not known at once may be by now. */
export function causeByNow(
  cause: string,
  at: Date,
  { replaced, from }: { replaced: readonly ReplacedEndpoint[]; from: SecretsFrom },
): string {
  const made = replaced.filter(({ createdAt }) => createdAt === null || Date.parse(createdAt) <= at.getTime());
  if (made.length === 0) return cause;
  return cause.replace(UNEXPLAINED, () => [...made.map(replacedWords), putRightSecret(made, from)].join(' '));
}
