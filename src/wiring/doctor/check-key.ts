import { type Check, finding, ok, unknown } from './check.js';

const SOON_MS = 7 * 24 * 3_600_000;

/**
 * An API key lasts; the token of a dashboard session ends by itself, and its calls that debit need a TOTP code
 * (specification 5). A read can't tell one from the other, but a token that says when it ends is none to run on.
 */
export function checkKey(key: string, now: Date): Check {
  const endsAt = endOf(key);
  if (endsAt === null) return unknown('key', 'whether it is an API key or the token of a session, no read can show');
  const at = Number.isFinite(endsAt) && Math.abs(endsAt) < 8.64e15 ? new Date(endsAt).toISOString() : 'some time';
  if (endsAt - now.getTime() > SOON_MS) return ok('key', `says that it ends at ${at}`);
  const remedy = 'put an API key into SERVICE_API_KEY: see the service’s dashboard';
  return finding('key', `looks like the token of a session: it says that it ends at ${at}`, remedy);
}

/** In ms, where the key is a JSON web token with an end; its signature does not matter here. */
function endOf(key: string): number | null {
  const parts = key.split('.');
  if (parts.length !== 3) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return null;
    return typeof claims.exp === 'number' ? claims.exp * 1_000 : null;
  } catch {
    return null;
  }
}
