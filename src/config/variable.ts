import { z } from 'zod';
import { httpUrl, onOrOff, readableFile, wholeNumber } from './values.js';

export type Role = 'receiver' | 'worker' | 'scheduler' | 'console';

/** One environment variable: what reads it, and what .env.example, the compose file and docs/configuration.md say of it. */
export interface Variable {
  schema: z.ZodType<unknown, string>;
  /** Finishes the sentence “accepted is …”. */
  accepts: string;
  meaning: string;
  fallback?: string;
  /** A value as it may be, where there is no fallback. */
  example?: string;
  /** Never shown; may also come from the file that NAME_FILE names. */
  secret?: true;
  source?: string;
  neededBy?: readonly Role[];
  /** Roles that read it, where not all do. */
  usedBy?: readonly Role[];
}

export const ALERTING = ['scheduler', 'console'] as const;

export const port = { schema: wholeNumber(0, 65_535), accepts: 'a port, 0 to 65535; 0 is any free one' };
export const seconds = { schema: wholeNumber(0, 31_536_000), accepts: 'whole seconds, 0 or more' };
export const onOff = { schema: onOrOff, accepts: 'on or off' };
export const days = { schema: wholeNumber(1, 36_500), accepts: 'whole days, 1 or more' };
export const host = { schema: z.string().regex(/^[\w.:-]+$/), accepts: 'a host name or an address to listen on' };
export const file = { schema: readableFile, accepts: 'the path of a file that can be read' };
export const alertUrl = {
  schema: httpUrl,
  accepts: 'an https:// address; http:// only to this machine, where SERVICE_BASE_URL is on it',
  secret: true,
  usedBy: ALERTING,
} as const;
/** The key of a Standard Webhooks signature that we make. */
export const sendingSecret = {
  schema: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .superRefine((secret, context) => {
      const clause = weakness(secret);
      if (clause !== null) refuseSecret(context, `which ${clause}`);
    }),
  accepts: '16 characters or more, without spaces, of your own',
  secret: true,
  source: 'made up by you, e.g. whsec_$(openssl rand -base64 32)',
} as const;

const LEAST_CHARACTERS = 16;

/** What stands in our documents in place of a value, or stood there: whoever gives it has copied it, and so has everybody else. */
const OF_DOCUMENTS = ['a-token-of-your-own', 'a-token-for-the-drill'];
/** In what people make up themselves: words that ask for another value, and what a shell was to fill in. */
const ASKS_FOR_ANOTHER =
  /^(whsec_)?[<[{(]*(change|replace|your|insert|example|placeholder|todo|fill)([-_. ]|me|in|this|$)|\$[({]/i;

/** One that was issued to us is taken as it is, but for what our own documents write in its place. */
export const isOfDocuments = (secret: string): boolean => OF_DOCUMENTS.includes(secret) || secret.includes('…');

/** What is wrong with a secret that people make up: a clause of an error; null where nothing is. */
export function weakness(secret: string): string | null {
  if (isOfDocuments(secret) || ASKS_FOR_ANOTHER.test(secret)) return 'is an example of the documents';
  return secret.length < LEAST_CHARACTERS ? `has fewer than ${LEAST_CHARACTERS} characters` : null;
}

/** Refuses, with a clause that holds nothing of the value. */
export function refuseSecret(context: z.RefinementCtx, clause: string): never {
  context.addIssue({ code: 'custom', message: clause, params: { isClause: true } });
  return undefined as never;
}
