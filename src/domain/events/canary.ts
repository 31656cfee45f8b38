import { MARK_FIELD } from './event-key.js';

/** The mark, in the body and in the inbox, of a test event that we sent ourselves through WEBHOOK_PUBLIC_URL. */
export const CANARY_MARK = 'canary';
const CANARY_EVENT = 'tallyhook.canary';
const LONGEST = 1_024;
const WORD = /"canary-([0-9a-f]{32})"/;

/** @param nonce 32 hex digits, used once */
export function canaryBody(nonce: string, timestamp: number): string {
  return JSON.stringify({
    [MARK_FIELD]: CANARY_MARK,
    event: CANARY_EVENT,
    timestamp,
    data: { nonce: `canary-${nonce}` },
  });
}

/** The one-time word in a body that may be one of a canary, whole or changed on its way; whose it is the database says. */
export function canaryNonce(rawBody: Buffer): string | null {
  if (rawBody.length > LONGEST) return null;
  return WORD.exec(rawBody.toString('latin1'))?.[1] ?? null;
}
