import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { loadConfig, type Needed, type WebhookSecret } from '../config.js';
import { UsageError } from '../errors.js';
import { verifySignature } from '../webhook/verify-signature.js';
import { printText } from './print.js';

interface Flags {
  body: string;
  secret?: string;
  signature?: string;
  at?: string;
}

export type SecretsConfig = Needed<'WEBHOOK_SECRETS'>;

/** Signs and checks bodies as the service does (specification 6.3), to find out who of two is right. */
export function define(command: Command): void {
  command
    .command('sign')
    .description('print the X-Service-Signature of a body')
    .requiredOption('--body <file>', 'the raw body; - is standard input')
    .option('--secret <label>', 'which of the configured secrets; the first one when left out')
    .action(({ body, secret }: Flags) => {
      process.stdout.write(`${sign(readBody(body), chooseSecret(secret, loadConfig(['WEBHOOK_SECRETS'])).secret)}\n`);
    });
  command
    .command('verify')
    .description('check a signature with every configured secret')
    .requiredOption('--body <file>', 'the raw body; - is standard input')
    .requiredOption('--signature <header>', 'the header’s value, sha256=… included')
    .option('--at <time>', 'check the age as of this moment, ISO 8601; now when left out')
    .action(({ body, signature = '', at }: Flags) => {
      const { WEBHOOK_SECRETS } = loadConfig(['WEBHOOK_SECRETS']);
      const headers = { 'x-service-signature': [signature] };
      const verdict = verifySignature(readBody(body), headers, WEBHOOK_SECRETS, at ? new Date(at) : new Date());
      printText(verdict.ok ? `ok, secret ${verdict.label}` : `${verdict.reason}: ${verdict.detail}`);
      if (!verdict.ok) process.exitCode = 1;
    });
}

export function sign(body: Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** A configured secret by its label. Throws a UsageError that names the known labels. */
export function chooseSecret(
  label: string | undefined,
  { WEBHOOK_SECRETS }: Pick<SecretsConfig, 'WEBHOOK_SECRETS'>,
): WebhookSecret {
  const chosen = label === undefined ? WEBHOOK_SECRETS[0] : WEBHOOK_SECRETS.find((secret) => secret.label === label);
  if (!chosen)
    throw new UsageError(`--secret ${label}: known are ${WEBHOOK_SECRETS.map((secret) => secret.label).join(', ')}.`);
  return chosen;
}

function readBody(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new UsageError(`--body ${file} can't be read: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
}
