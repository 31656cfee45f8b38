import { atOnce, type Pausing } from '../domain/in-turns.js';
import { type HeaderValues, matchSignature, type SignatureProblem, type SigningSecret } from './match-signature.js';
import { type Envelope, type EnvelopeProblem, parsingEnvelope } from './parse-envelope.js';

/** Seconds that a body's timestamp may differ from now (specification 6.3, points 6 and 7). */
export interface Tolerance {
  past: number;
  future: number;
}

export const defaultTolerance: Tolerance = { past: 300, future: 60 };

type TimestampProblem = { ok: false; reason: 'expired_timestamp'; detail: string };

type Refusal = SignatureProblem | EnvelopeProblem | TimestampProblem;
export type Reason = Refusal['reason'];

/** The envelope as `JSON.parse` reads it; it holds whatever else the service put there, too. */
export interface PlainEnvelope {
  event: string;
  timestamp: number;
  data: object;
}

/**
 * Whether the service sent these bytes, just now (specification 6.3). `rawBody` is the body exactly as received, never a
 * re-serialized one; `headers` is `req.headersDistinct` or anything of that form. Never throws on what a sender can choose.
 *
 * The checks go in the order of their reasons: missing, malformed, invalid signature, invalid_body, missing_timestamp,
 * expired_timestamp. An age equal to the tolerance is accepted. `detail` never holds the body or a secret.
 */
export function verifySignature(
  rawBody: Buffer,
  headers: HeaderValues,
  secrets: readonly SigningSecret[],
  now: Date = new Date(),
  tolerance: Tolerance = defaultTolerance,
): { ok: true; label: string; envelope: PlainEnvelope } | { ok: false; reason: Reason; detail: string } {
  const verdict = authenticate({ rawBody, headers, secrets, now, tolerance });
  if (!verdict.ok) return { ok: false, reason: verdict.reason, detail: verdict.detail };
  const { label } = verdict;
  return { ok: true, label, envelope: JSON.parse(rawBody.toString('utf8')) as PlainEnvelope };
}

/** An authentic event that came in time. */
export type Authentic = { ok: true; label: string; envelope: Envelope };

/** An event that is authentic but came too late, or from the future. */
type Expired = TimestampProblem & { envelope: Envelope };

interface SignedArrival {
  rawBody: Buffer;
  headers: HeaderValues;
  secrets: readonly SigningSecret[];
  now: Date;
  tolerance: Tolerance;
}

type Verdict = Authentic | SignatureProblem | EnvelopeProblem | Expired;

/** The same as `verifySignature`, losslessly. */
export function authenticate(arrival: SignedArrival): Verdict {
  return atOnce(authenticating(arrival));
}

export function* authenticating(arrival: SignedArrival): Pausing<Verdict> {
  const signature = matchSignature(arrival.rawBody, arrival.headers, arrival.secrets);
  if (!signature.ok) return signature;
  const parsed = yield* parsingEnvelope(arrival.rawBody);
  if (!parsed.ok) return parsed;
  const { envelope } = parsed;
  const detail = describeAge(envelope.timestamp, arrival.now, arrival.tolerance);
  if (detail !== null) return { ok: false, reason: 'expired_timestamp', detail, envelope };
  return { ok: true, label: signature.label, envelope };
}

/** What is wrong with the age; null if nothing. Written so that NaN anywhere is rejected. */
export function describeAge(timestamp: number, now: Date, { past, future }: Tolerance): string | null {
  const age = Math.floor(now.getTime() / 1000) - timestamp;
  if (age <= past && -age <= future) return null;
  if (age > 0) return `the timestamp is ${age} s old, ${past} s are tolerated`;
  const hint = timestamp > 1e11 ? '; is it in milliseconds?' : '';
  return `the timestamp is ${-age} s in the future, ${future} s are tolerated${hint}`;
}
