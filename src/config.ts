import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { type WebhookSecret, webhookSecrets } from './config/labelled-lists.js';
import { type Config, type Variable, type VariableName, variables } from './config/variables.js';
import { ConfigError } from './errors.js';

export type { Config, VariableName, WebhookSecret };

type Environment = Record<string, string | undefined>;
interface Problem {
  name: string;
  missing: boolean;
  text: string;
}

const names = Object.keys(variables) as VariableName[];
const table: Record<VariableName, Variable> = variables;

/** Variables that only make sense together. */
const PAIRS: [VariableName, VariableName][] = [
  ['STORE_CALLBACK_URL', 'STORE_CALLBACK_SECRET'],
  ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'],
  ['ALERT_SMTP_URL', 'ALERT_EMAIL_TO'],
];

/**
 * Reads every setting from the environment and from .env in the working directory (the environment wins). Throws one
 * ConfigError that lists all that is wrong, and all of the needs that is missing; never with a secret's value in it.
 */
export function loadConfig<N extends VariableName = never>(
  needs: readonly N[] = [],
  {
    alsoNeeds = [],
    env = { ...readDotEnv(), ...process.env },
  }: { alsoNeeds?: readonly VariableName[]; env?: Environment } = {},
): Config & { [K in N]: NonNullable<Config[K]> } {
  const problems: Problem[] = [];
  const required = new Set<VariableName>([...needs, ...alsoNeeds]);
  const config: Record<string, unknown> = { WEBHOOK_SECRETS_FILE: env['WEBHOOK_SECRETS_FILE'] || undefined };
  for (const name of names) {
    const given = readGiven(name, env);
    if (given.problem !== undefined) {
      problems.push({ name, missing: false, text: given.problem });
      continue;
    }
    const parsed = table[name].schema.safeParse(given.text ?? '');
    if (parsed.success && given.text !== undefined) config[name] = parsed.data;
    else if (given.text !== undefined) problems.push(wrong(name, given.text, parsed.error));
    else if (required.has(name)) problems.push(missing(name));
  }
  problems.push(...strangers(env), ...halves(config), ...shortKeys(config));
  if (problems.length > 0) throw new ConfigError(explain(problems));
  return config as Config & { [K in N]: NonNullable<Config[K]> };
}

/** The secrets in a file in the form of WEBHOOK_SECRETS_FILE. Throws a ConfigError that does not show them. */
export function readWebhookSecrets(file: string): WebhookSecret[] {
  const parsed = webhookSecrets.safeParse(readFileSync(file, 'utf8'));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`WEBHOOK_SECRETS_FILE: ${file} is not of the form ${variables.WEBHOOK_SECRETS.accepts}`);
}

/** Whether the person at the terminal asked for no colours (https://no-color.org). */
export function wantsNoColor(): boolean {
  return (process.env['NO_COLOR'] ?? '') !== '';
}

function readDotEnv(): Environment {
  try {
    return parseEnv(readFileSync(path.resolve('.env'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new ConfigError(`.env is there but can't be read: ${error instanceof Error ? error.message : ''}`);
  }
}

/** A variable that is set to nothing counts as not set: that is how compose files pass on what is unset. */
function readGiven(name: VariableName, env: Environment): { text?: string; problem?: string } {
  const text = env[name] || undefined;
  const file = (table[name].secret && env[`${name}_FILE`]) || undefined;
  if (file === undefined) {
    const value = text ?? table[name].fallback;
    return value === undefined ? {} : { text: value };
  }
  if (text !== undefined) return { problem: `set both as ${name} and as ${name}_FILE; accepted is one of them` };
  try {
    return { text: readFileSync(file, 'utf8').trim() };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return { problem: `given as ${name}_FILE=${file} (${code}); accepted is the path of a file that can be read` };
  }
}

function wrong(name: VariableName, text: string, error?: z.ZodError): Problem {
  const shown = table[name].secret ? `a secret of ${text.length} characters` : JSON.stringify(text);
  const clause = error?.issues.find((issue) => issue.code === 'custom' && issue.params?.['isClause'])?.message;
  return {
    name,
    missing: false,
    text: `given ${shown}${clause === undefined ? '' : `, ${clause}`}; accepted is ${table[name].accepts}`,
  };
}

function missing(name: VariableName): Problem {
  const { accepts, source } = table[name];
  return { name, missing: true, text: `missing; ${accepts}${source ? `\n    from: ${source}` : ''}` };
}

/** A misspelt kind would otherwise run at its default for ever. */
function strangers(env: Environment): Problem[] {
  const known = names.filter((name) => name.startsWith('RECONCILE_'));
  return Object.keys(env)
    .filter((name) => /^RECONCILE_.*_CRON$/.test(name) && !known.some((other) => other === name))
    .map((name) => ({ name, missing: false, text: `not known; accepted are ${known.join(', ')}` }));
}

function halves(config: Record<string, unknown>): Problem[] {
  return PAIRS.flatMap(([a, b]) =>
    [
      { name: a, other: b },
      { name: b, other: a },
    ]
      .filter(({ name, other }) => config[name] === undefined && config[other] !== undefined)
      .map(({ name, other }) => ({
        name,
        missing: true,
        text: `missing, while ${other} is set; ${table[name].accepts}`,
      })),
  );
}

/** Without its key an event that comes again would be a new one, while its body is still here. */
function shortKeys({ RETENTION_BODY_DAYS: bodies, RETENTION_KEY_DAYS: keys }: Partial<Config>): Problem[] {
  if (bodies === undefined || keys === undefined || keys >= bodies) return [];
  const text = `given ${keys}, while RETENTION_BODY_DAYS is ${bodies}; accepted are as many days or more: keys outlive bodies`;
  return [{ name: 'RETENTION_KEY_DAYS', missing: false, text }];
}

function explain(problems: Problem[]): string {
  const lines = problems.map(({ name, text }) => `  ${name}\n    ${text}`);
  const what = problems.every(({ missing }) => missing) ? 'Settings are missing' : 'Settings are wrong or missing';
  const hint = `Set them in the environment or in ${path.resolve('.env')}; .env.example lists all. Secrets may come from a file: NAME_FILE=path.`;
  const trial = 'To look around without an account at the service: npm run demo';
  return [`${what}:`, '', ...lines, '', hint, trial].join('\n');
}
