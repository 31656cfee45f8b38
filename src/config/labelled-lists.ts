import { z } from 'zod';
import { everyRole } from '../domain/console-roles.js';
import { isOfDocuments, refuseSecret, weakness } from './variable.js';

/** One signing secret; the whole string, its prefix included, is the HMAC key. */
export interface WebhookSecret {
  label: string;
  secret: string;
}

export const serviceKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .refine((key) => !isOfDocuments(key));

/** `label=whsec_…`, a comma or a new line between; lines that begin with # are comments. */
export const webhookSecrets = z.string().transform((text, context): WebhookSecret[] => {
  const secrets = entries(text).map((entry) => {
    const [label = '', ...rest] = entry.split('=');
    return { label: label.trim(), secret: rest.join('=').trim() };
  });
  const fine = secrets.every(({ label, secret }) => /^[\w.-]{1,64}$/.test(label) && /^whsec_\S+$/.test(secret));
  const labels = new Set(secrets.map(({ label }) => label));
  if (!fine || labels.size === 0 || labels.size < secrets.length) return refuse(context);
  const copied = secrets.find(({ secret }) => isOfDocuments(secret));
  if (copied !== undefined)
    refuseSecret(context, `in which the secret "${copied.label}" is an example of the documents`);
  return secrets;
});

/** `name:role:token`, a comma or a new line between. */
export const consoleTokens = z.string().transform((text, context) => {
  const tokens = entries(text).map((entry) => {
    const [name = '', role = '', ...rest] = entry.split(':');
    return { name, role: everyRole.find((known) => known === role), token: rest.join(':') };
  });
  const known = tokens.flatMap(({ role, ...rest }) => (role ? [{ ...rest, role }] : []));
  if (tokens.length === 0) return refuse(context);
  for (const [at, { name, role, token }] of tokens.entries()) {
    // By its place: who forgot a part may have the token where another part belongs.
    const refusePart = (clause: string) => refuseSecret(context, `in which entry ${at + 1} ${clause}`);
    if (!/^[\w.@-]{1,64}$/.test(name)) refusePart('has a wrong name: 1 to 64 letters, digits and . _ @ -');
    else if (!role) refusePart(`has a wrong role: it is one of ${everyRole.join(', ')}`);
    else if (!/^\S+$/.test(token)) refusePart('has no token, or one with spaces');
    else if (tokens.findIndex((other) => other.name === name) < at) refusePart('has the name of another');
  }
  for (const { name, token } of tokens) {
    const clause = weakness(token);
    if (clause !== null) refuseSecret(context, `in which the token of "${name}" ${clause}`);
    const other = tokens.find((one) => one.token === token);
    if (other && other.name !== name)
      refuseSecret(context, `in which "${other.name}" and "${name}" have the same token`);
  }
  return known;
});

function entries(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'));
}

function refuse(context: z.RefinementCtx): never {
  context.addIssue({ code: 'custom', message: 'not a list of this form' });
  return z.NEVER;
}
