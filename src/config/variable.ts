import { z } from 'zod';
import { refuseSecret, weakness } from './examples.js';
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
