import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { hashOfText } from '../domain/canonical-json.js';
import { idHeader } from '../domain/events/event-key.js';
import { atOnce, type Pausing } from '../domain/in-turns.js';
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
export const authenticate = (arrival: SignedArrival): Verdict => atOnce(authenticating(arrival));

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

/** One entry of WEBHOOK_SECRETS. The whole secret, `whsec_` included, is the key of the HMAC. */
export interface SigningSecret {
  label: string;
  secret: string;
}

/** Header names in any case; several values of one name as an array, as in `req.headersDistinct`. */
export type HeaderValues = Readonly<Record<string, readonly string[] | string | undefined>>;

type SignatureProblem = {
  ok: false;
  reason: 'missing_signature' | 'malformed_signature' | 'invalid_signature';
  detail: string;
};

const SIGNATURE_HEADER = 'X-Service-Signature';
const PREFIX = 'sha256=';
const HEX_LENGTH = 64;

/**
 * Which of the secrets signed these bytes (specification 6.3). Every secret is tried, in constant time. What can be
 * seen to be wrong without a secret (length, alphabet) is rejected before any HMAC is computed.
 */
export function matchSignature(
  rawBody: Uint8Array,
  headers: HeaderValues,
  secrets: readonly SigningSecret[],
): { ok: true; label: string } | SignatureProblem {
  const values = valuesOf(headers, SIGNATURE_HEADER.toLowerCase());
  const [header] = values;
  if (header === undefined) return problem('missing_signature', `the header ${SIGNATURE_HEADER} is absent`);
  if (values.length > 1) return problem('malformed_signature', `${values.length} ${SIGNATURE_HEADER} headers`);
  if (header.includes(',')) return problem('malformed_signature', `${SIGNATURE_HEADER} holds a comma`);
  if (!header.startsWith(PREFIX)) return problem('malformed_signature', `${SIGNATURE_HEADER} ${openingOf(header)}`);
  const flaw = flawOf(header.slice(PREFIX.length));
  if (flaw) return problem('invalid_signature', flaw);
  const label = labelOf(rawBody, header, secrets);
  if (label === null) return problem('invalid_signature', `no secret gives this signature for ${rawBody.length} bytes`);
  return { ok: true, label };
}

/** The value that the service sends in its signature header for these bytes. */
export function signatureOf(rawBody: Uint8Array, secret: string): string {
  return PREFIX + createHmac('sha256', secret).update(rawBody).digest('hex');
}

function labelOf(rawBody: Uint8Array, header: string, secrets: readonly SigningSecret[]): string | null {
  const given = Buffer.from(header);
  let match: string | null = null;
  for (const { label, secret } of secrets) {
    const equal = timingSafeEqual(given, Buffer.from(signatureOf(rawBody, secret)));
    // An empty secret would let everybody sign.
    if (equal && match === null && secret !== '') match = label;
  }
  return match;
}

export function valuesOf(headers: HeaderValues, name: string): readonly string[] {
  const found: string[] = [];
  for (const key of Object.keys(headers)) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    const values = headers[key];
    if (typeof values === 'string') found.push(values);
    else if (values !== undefined) found.push(...values);
  }
  return found;
}

/** Only the name of a known scheme is repeated: the rest may be anything, a secret by mistake too. */
function openingOf(header: string): string {
  const scheme = /^(sha-?\d{1,3}|md5|hmac|v\d|t)(?==)/i.exec(header)?.[0];
  if (header === '') return 'is empty';
  return scheme ? `begins with "${scheme}=", not "${PREFIX}"` : `does not begin with "${PREFIX}"`;
}

function flawOf(hex: string): string | null {
  if (hex.length !== HEX_LENGTH) return `${hex.length} characters after "${PREFIX}", not ${HEX_LENGTH}`;
  if (/^[0-9a-f]*$/.test(hex)) return null;
  if (/^[0-9a-fA-F]*$/.test(hex)) return 'the signature is not in lowercase';
  return 'the signature is not hexadecimal';
}

function problem(reason: SignatureProblem['reason'], detail: string): SignatureProblem {
  return { ok: false, reason, detail };
}

type Headers = Readonly<Record<string, string[] | undefined>>;

const IDS_OF_ONE_BODY = 4;
const REMEMBERED_BODIES = 10_000;
const NO_HEADERS: Headers = {};

/**
 * An event's id in a header is not signed: whoever caught one signed body could have it stored ever anew, each time under
 * another id. So one body may have a few ids; beyond them its headers are left aside, and it is known by its content.
 * Takes the headers of authentic requests: the signature in them stands for the body.
 */
export function createUnsignedIds(eventIdPointer: string): (headers: Headers) => Headers {
  const name = idHeader(eventIdPointer);
  let known = new Map<string, Set<string>>();
  return (headers) => {
    const given = name === null ? undefined : headers[name];
    if (given === undefined) return headers;
    const signature = headers['x-service-signature']?.join() ?? '';
    const id = createHash('sha256').update(given.join()).digest('base64');
    if (known.size >= REMEMBERED_BODIES) known = new Map();
    const ids = known.get(signature) ?? new Set();
    known.set(signature, ids);
    if (ids.size >= IDS_OF_ONE_BODY && !ids.has(id)) return NO_HEADERS;
    ids.add(id);
    return headers;
  };
}

/** Distinguishes secrets without showing them. */
export const fingerprintOf = (secret: string): string => hashOfText(secret).slice(0, 16);
