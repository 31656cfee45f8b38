import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { crons } from './config/cron-variables.js';
import { type WebhookSecret, webhookSecrets } from './config/labelled-lists.js';
import { readableFile } from './config/values.js';
import type { Variable } from './config/variable.js';
import { type Config, type VariableName, variables } from './config/variables.js';
import { ConfigError } from './errors.js';

export type { Config, VariableName, WebhookSecret };

/** A port that a process may open beside PORT. */
type PortName = 'CONSOLE_PORT' | 'METRICS_PORT';
/** The settings, with those that are sure to be there. */
export type Needed<N extends VariableName> = Config & { [K in N]: NonNullable<Config[K]> };
type Environment = Record<string, string | undefined>;
interface Problem {
  name: string;
  missing: boolean;
  text: string;
}

const names = Object.keys(variables) as VariableName[];
const table: Record<VariableName, Variable> = variables;

/** Variables that are missing where the other one is set. A way past a pooler makes sense beside the one through it. */
const NEEDED_BESIDE: [VariableName, VariableName][] = [
  ['STORE_CALLBACK_URL', 'STORE_CALLBACK_SECRET'],
  ['STORE_CALLBACK_SECRET', 'STORE_CALLBACK_URL'],
  ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'],
  ['ALERT_WEBHOOK_SECRET', 'ALERT_WEBHOOK_URL'],
  ['ALERT_SMTP_URL', 'ALERT_EMAIL_TO'],
  ['ALERT_EMAIL_TO', 'ALERT_SMTP_URL'],
  ['DATABASE_URL', 'DATABASE_DIRECT_URL'],
  ['WEBHOOK_PUBLIC_URL', 'CANARY_MINUTES'],
  ['WEBHOOK_SECRETS', 'CANARY_MINUTES'],
];

/**
 * Reads every setting from the environment and from .env in the working directory (the environment wins). Throws one
 * ConfigError that lists all that is wrong, and all of the needs that is missing; never with a secret's value in it.
 */
export function loadConfig<N extends VariableName = never>(
  needs: readonly N[] = [],
  {
    alsoNeeds = [],
    apart = [],
    env = environment(),
  }: { alsoNeeds?: readonly VariableName[]; apart?: readonly PortName[]; env?: Environment } = {},
): Needed<N> {
  const problems: Problem[] = [];
  const required = new Set<VariableName>([...needs, ...alsoNeeds]);
  const config: Record<string, unknown> = { WEBHOOK_SECRETS_FILE: env['WEBHOOK_SECRETS_FILE'] || undefined };
  for (const name of names) {
    const given = readGiven(name, env);
    if (given.problem !== undefined) {
      problems.push(wrong(name, given.problem));
      continue;
    }
    const parsed = table[name].schema.safeParse(given.text ?? '');
    if (parsed.success && given.text !== undefined) config[name] = parsed.data;
    else if (given.text !== undefined) problems.push(refused(name, given.text, parsed.error));
    else if (required.has(name)) problems.push(missing(name));
  }
  problems.push(
    ...strangers(env),
    ...halves(config, problems),
    ...shortKeys(config),
    ...withPassword(config, env),
    ...unreadableFiles(config),
    ...sharedPorts(config, apart),
  );
  if (problems.length > 0) throw new ConfigError(explain(problems));
  return config as Needed<N>;
}

/** The setting that this process has its secrets from. */
export const secretsSource = ({ WEBHOOK_SECRETS_FILE: file }: Pick<Config, 'WEBHOOK_SECRETS_FILE'>) =>
  file === undefined ? 'WEBHOOK_SECRETS' : 'WEBHOOK_SECRETS_FILE';

/** The secrets in a file in the form of WEBHOOK_SECRETS_FILE. Throws a ConfigError that does not show them. */
export function readWebhookSecrets(file: string): WebhookSecret[] {
  const parsed = webhookSecrets.safeParse(readFileSync(file, 'utf8'));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`WEBHOOK_SECRETS_FILE: ${file} is not of the form ${variables.WEBHOOK_SECRETS.accepts}`);
}

/** Whether the person at the terminal asked for no colours (https://no-color.org). */
export const wantsNoColor = (): boolean => (process.env['NO_COLOR'] ?? '') !== '';

/** The environment, over what .env in the working directory has. */
export const environment = (): Environment => ({ ...readDotEnv(), ...process.env });

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
  const asFile = `given as ${name}_FILE=${file}`;
  const either = `accepted is one of ${name} and ${name}_FILE`;
  if (text !== undefined) return { problem: `set both as ${name} and as ${name}_FILE; ${either}` };
  try {
    // An editor ends a file with a new line; all else belongs to the secret.
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return content === '' ? { problem: `${asFile}, which is empty; ${either}, with a value` } : { text: content };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return { problem: `${asFile} (${code}); ${either}, of a file that this process can read` };
  }
}

const wrong = (name: string, text: string): Problem => ({ name, missing: false, text });

function refused(name: VariableName, text: string, error?: z.ZodError): Problem {
  const shown = table[name].secret ? `a secret of ${text.length} characters` : JSON.stringify(withoutLogin(text));
  const clause = error?.issues.find((issue) => issue.code === 'custom' && issue.params?.['isClause'])?.message;
  return wrong(name, `given ${shown}${clause === undefined ? '' : `, ${clause}`}; accepted is ${table[name].accepts}`);
}

/** An address as it may be shown. */
export const withoutLogin = (text: string): string => text.replace(/\/\/.*@/s, '//');

function missing(name: VariableName): Problem {
  const { accepts, source } = table[name];
  return { name, missing: true, text: `missing; ${accepts}${source ? `\n    from: ${source}` : ''}` };
}

/** A misspelt kind would otherwise run at its default for ever. */
function strangers(env: Environment): Problem[] {
  const known = Object.keys(crons);
  return Object.keys(env)
    .filter((name) => /^RECONCILE_.*_CRON$/.test(name) && !known.includes(name))
    .map((name) => wrong(name, `not known; accepted are ${known.join(', ')}`));
}

function halves(config: Record<string, unknown>, known: readonly Problem[]): Problem[] {
  return NEEDED_BESIDE.filter(([name, other]) => config[name] === undefined && config[other] !== undefined)
    .filter(([name]) => !known.some((problem) => problem.name === name))
    .map(([name, other]) => ({ name, missing: true, text: `missing, while ${other} is set; ${table[name].accepts}` }));
}

/** Without its key an event that comes again would be a new one, while its body is still here. */
function shortKeys({ RETENTION_BODY_DAYS: bodies, RETENTION_KEY_DAYS: keys }: Partial<Config>): Problem[] {
  if (bodies === undefined || keys === undefined || keys >= bodies) return [];
  const text = `given ${keys}, while RETENTION_BODY_DAYS is ${bodies}; accepted are as many days or more: keys outlive bodies`;
  return [wrong('RETENTION_KEY_DAYS', text)];
}

/** Puts DATABASE_PASSWORD into the database's addresses, where a password may not have any character. */
function withPassword(config: Partial<Config>, env: Environment): Problem[] {
  const password = config.DATABASE_PASSWORD;
  if (password === undefined) return [];
  config.passwordSetting = env['DATABASE_PASSWORD_FILE'] ? 'DATABASE_PASSWORD_FILE' : 'DATABASE_PASSWORD';
  const refuse = (text: string): Problem[] => [wrong('DATABASE_PASSWORD', text)];
  if (config.DATABASE_URL === undefined)
    return refuse('given without DATABASE_URL; accepted is postgres://user@host:port/database beside it');
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL'] as const) {
    const address = config[name];
    if (address === undefined) continue;
    const url = new URL(address);
    if (url.password !== '') return refuse(`given, while ${name} has a password; accepted is one of them`);
    if (url.username === '' || url.hostname === '')
      return refuse(`given, while ${name} lacks user or host; accepted is postgres://user@host:port/database`);
    url.password = encodeURIComponent(password);
    config[name] = url.href;
  }
  return [];
}

/** What pg reads when it connects, with an error of its own where it can't. */
function unreadableFiles(config: Partial<Config>): Problem[] {
  return (['DATABASE_URL', 'DATABASE_DIRECT_URL'] as const).flatMap((name) =>
    ['sslrootcert', 'sslcert', 'sslkey'].flatMap((part) => {
      const file = new URL(config[name] ?? 'postgres:').searchParams.get(part);
      if (!file || readableFile.safeParse(file).success) return [];
      return [
        wrong(name, `given with ${part}=${file}, which can’t be read; accepted is a file that this process can read`),
      ];
    }),
  );
}

/** Of ports that one process opens, each name once; at addresses of their own two may have one number. */
function sharedPorts(config: Partial<Config>, apart: readonly PortName[]): Problem[] {
  const { HOST, CONSOLE_HOST, PORT } = config;
  const meet = HOST === CONSOLE_HOST || [HOST, CONSOLE_HOST].some((host) => host === '0.0.0.0' || host === '::');
  return apart
    .filter((name) => meet && PORT !== 0 && config[name] === PORT)
    .map((name) => wrong(name, `given ${PORT}, as PORT is; accepted is another port for each`));
}

function explain(problems: Problem[]): string {
  const lines = problems.map(({ name, text }) => `  ${name}\n    ${text}`);
  const what = problems.every(({ missing }) => missing) ? 'Settings are missing' : 'Settings are wrong or missing';
  const example = fileURLToPath(new URL('../.env.example', import.meta.url));
  const list = existsSync(example) ? `; ${path.relative('', example)} lists all` : '';
  const hint = `Set them in the environment or in ${path.resolve('.env')}${list}. Secrets may come from a file: NAME_FILE=path.`;
  const trial = 'To look around without an account at the service: npx tallyhook demo';
  return [`${what}:`, '', ...lines, '', hint, trial].join('\n');
}
