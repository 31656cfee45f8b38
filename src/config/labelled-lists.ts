import { z } from 'zod';

/** One signing secret; the whole string, its prefix included, is the HMAC key. */
export interface WebhookSecret {
  label: string;
  secret: string;
}

const roles = ['viewer', 'operator', 'finance', 'admin'] as const;

/** `label=whsec_…`, a comma or a new line between; lines that begin with # are comments. */
export const webhookSecrets = z.string().transform((text, context): WebhookSecret[] => {
  const secrets = entries(text).map((entry) => {
    const [label = '', ...rest] = entry.split('=');
    return { label: label.trim(), secret: rest.join('=').trim() };
  });
  const fine = secrets.every(({ label, secret }) => /^[\w.-]{1,64}$/.test(label) && /^whsec_\S+$/.test(secret));
  return fine && areDistinct(secrets.map(({ label }) => label)) ? secrets : refuse(context);
});

/** `name:role:token`, a comma or a new line between. */
export const consoleTokens = z.string().transform((text, context) => {
  const tokens = entries(text).map((entry) => {
    const [name = '', role = '', ...rest] = entry.split(':');
    return { name, role: roles.find((known) => known === role), token: rest.join(':') };
  });
  const known = tokens.flatMap(({ role, ...rest }) => (role ? [{ ...rest, role }] : []));
  const fine = tokens.every(({ name, role, token }) => /^[\w.@-]{1,64}$/.test(name) && role && /^\S{12,}$/.test(token));
  return fine && areDistinct(tokens.map(({ name }) => name)) ? known : refuse(context);
});

function entries(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'));
}

/** At least one, and none twice. */
function areDistinct(labels: string[]): boolean {
  return labels.length > 0 && new Set(labels).size === labels.length;
}

function refuse(context: z.RefinementCtx): never {
  context.addIssue({ code: 'custom', message: 'not a list of this form' });
  return z.NEVER;
}
