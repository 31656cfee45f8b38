import { timingSafeEqual } from 'node:crypto';
import { parseJson } from '../domain/json-table/read-table.js';
import { rejectionWords, UNEXPLAINED } from '../domain/rejection-words.js';
import { type HeaderValues, type SigningSecret, signatureOf } from './verify-signature.js';

/** Larger bodies, and deeper ones, are not re-serialized for a diagnosis: indented they could grow to gigabytes. */
const MAX_BODY = 64 * 1024;
const MAX_DEPTH = 32;

/**
 * The likely cause of a rejection, and the remedy. For a signature that does not match, the usual mistakes are tried out;
 * none of them is ever a reason to accept. Costs dozens of HMACs: meant for a sample, not for each request.
 */
export function diagnose(
  reason: string,
  rawBody: Buffer,
  headers: HeaderValues,
  secrets: readonly SigningSecret[],
): string | null {
  if (reason !== 'invalid_signature') return rejectionWords[reason]?.remedy ?? null;
  if (secrets.length === 0) return 'No secret is configured, or all are retired.';
  const given = headers['x-service-signature']?.[0];
  const cause = typeof given === 'string' ? causeOf(rawBody, given.toLowerCase(), secrets) : null;
  if (cause !== null) return cause;
  return [...shorterThanOthers(secrets), UNEXPLAINED].join(' ');
}

/** The service makes its secrets alike: one that is shorter may have been cut when it was copied. */
function shorterThanOthers(secrets: readonly SigningSecret[]): string[] {
  const [shortest, ...others] = secrets.toSorted((a, b) => a.secret.length - b.secret.length);
  const longest = others.at(-1);
  if (shortest === undefined || longest === undefined || longest.secret.length === shortest.secret.length) return [];
  const lengths = `${shortest.secret.length} characters, not ${longest.secret.length}`;
  return [`"${shortest.label}" is shorter than "${longest.label}" (${lengths}): was it cut when it was copied?`];
}

function causeOf(rawBody: Buffer, given: string, secrets: readonly SigningSecret[]): string | null {
  for (const { label, secret } of secrets) {
    for (const [cause, key] of variantsOfSecret(secret)) {
      if (signs(rawBody, key, given)) return `It was signed with the secret "${label}" ${cause}.`;
    }
  }
  if (rawBody.length > MAX_BODY) return null;
  for (const [cause, body] of variantsOfBody(rawBody)) {
    const match = secrets.find(({ secret }) => signs(body, secret, given));
    if (match) return `The secret "${match.label}" is right, but the body was changed on its way: ${cause}.`;
  }
  return null;
}

function signs(body: Buffer, secret: string, given: string): boolean {
  const expected = Buffer.from(signatureOf(body, secret));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function variantsOfSecret(secret: string): [cause: string, secret: string][] {
  const trimmed = secret.trim();
  const bare = trimmed.replace(/^whsec_/, '');
  return [
    ['as configured, but the header was not in lowercase', secret],
    ['without white space around it: configure it without', trimmed],
    ['without the quotes around it: configure it without', trimmed.replace(/^(["'])(.*)\1$/, '$2')],
    ['without its prefix "whsec_": the whole string must be the key', bare],
    ['with the prefix "whsec_", which the configured one lacks', `whsec_${bare}`],
    ['and a newline after it', `${trimmed}\n`],
    ['and a carriage return and newline after it', `${trimmed}\r\n`],
  ];
}

function variantsOfBody(rawBody: Buffer): [cause: string, body: Buffer][] {
  const text = rawBody.toString('utf8');
  const variants: [string, string][] = [
    ['nothing of it was signed, so it was added', ''],
    ['white space was added around it', text.trim()],
    ['a newline at its end was cut off', `${text}\n`],
    ['its line ends were changed to CRLF', text.replaceAll('\r\n', '\n')],
    ['its line ends were changed from CRLF', text.replaceAll(/\r?\n/g, '\r\n')],
    ['a byte order mark was added', text.replace(/^\uFEFF/, '')],
    ...reserialized(text),
  ];
  return [
    ...variants.map(([cause, body]): [string, Buffer] => [cause, Buffer.from(body, 'utf8')]),
    ['its UTF-8 was taken for Latin-1 and encoded again', Buffer.from(text, 'latin1')],
  ];
}

function reserialized(text: string): [cause: string, body: string][] {
  let value: unknown;
  try {
    parseJson(text, MAX_DEPTH);
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const cause = 'it was parsed and written again, and was';
  const compact = JSON.stringify(value);
  return [
    [`${cause} compact JSON before`, compact],
    [`${cause} JSON with spaces after commas and colons before`, spaced(value)],
    [`${cause} indented JSON before`, JSON.stringify(value, null, 2)],
    [`${cause} JSON with escaped slashes before`, compact.replaceAll('/', '\\/')],
    [`${cause} JSON with escaped non-ASCII characters before`, asciiOnly(compact)],
  ];
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`)
    .join(', ')}}`;
}

function asciiOnly(json: string): string {
  return json.replaceAll(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
