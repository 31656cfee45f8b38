import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { type SecretStatus, secretsStatus } from '../webhook/rotation.js';
import { type Columns, printList } from './print.js';
import { withStore } from './with-store.js';

const columns: Columns<SecretStatus> = {
  label: (secret) => secret.label,
  fingerprint: (secret) => secret.fingerprint,
  'first match': (secret) => secret.firstMatchAt,
  'last match': (secret) => secret.lastMatchAt,
  'matches in 24 h': (secret) => secret.matches24h,
  endpoint: (secret) => secret.endpointId,
  verdict: (secret) => secret.verdict,
};

export function defineSecrets(command: Command): void {
  command.description('the signing secrets and the evidence for a rotation');
  command
    .command('status')
    .description('each configured secret: when it last matched, how often, what may be done with it')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => {
      const { WEBHOOK_SECRETS } = loadConfig(['WEBHOOK_SECRETS']);
      return withStore(async ({ db }) => printList(await secretsStatus(db, WEBHOOK_SECRETS), json, columns));
    });
}
