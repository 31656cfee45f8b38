import type { Command } from 'commander';
import type { Knex } from 'knex';
import { secretsSource } from '../config.js';
import { lastAccepted, noSuchSecret } from '../domain/deliveries/last-secret.js';
import { leakLines } from '../domain/deliveries/secret-leak.js';
import { retirement } from '../domain/deliveries/secret-verdict.js';
import type { SecretStatus } from '../domain/views/webhook-shapes.js';
import { AppError, UsageError } from '../errors.js';
import { inTransaction } from '../records/database/statements.js';
import { declareLeaked } from '../records/deliveries/leaked-secrets.js';
import { restoreSecret, retireSecret } from '../records/deliveries/secrets.js';
import { adoptedAtOf } from '../records/installation.js';
import { secretsFrom } from '../records/process-heartbeats.js';
import { loadContract } from '../service-api/contract.js';
import { secretsStatus } from '../webhook/rotation.js';
import { releaseRules } from '../wiring/reconcile-settings.js';
import { changeFlags, type Flags } from './arguments.js';
import { type Columns, printJson, printList, printResult, printText } from './print.js';
import type { SecretsConfig } from './signature.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<SecretStatus> = {
  label: 'label',
  fingerprint: 'fingerprint',
  'first match': 'firstMatchAt',
  'last match': 'lastMatchAt',
  'in 24 h': 'matches24h',
  endpoint: 'endpointId',
  'not sent': (secret) => secret.notSent ?? 'is not known',
  unmatched: 'unmatched',
  lacking: 'lacking',
  verdict: 'verdict',
  missing: (secret) => secret.missing.join('; ') || null,
};

/** The evidence does not allow it yet. */
class NotToBeRetiredError extends AppError {
  readonly code = 'not_to_be_retired';
}

interface RetireFlags extends Flags {
  force?: boolean;
  leaked?: boolean;
}

export function define(command: Command): void {
  command
    .command('status')
    .description('each configured secret: when it last matched, how often, what to do next')
    .option('--json', 'print JSON')
    .action(({ json = false }: Flags) =>
      withSecrets(async (db, config) => {
        const status = await statusNow(db, config);
        printList(status, json, columns);
        if (json) return;
        for (const { label, untold: notKnown } of status.items)
          if (notKnown !== null)
            printText(`whether the service sent what came under ${label} is not known: ${notKnown}`);
        for (const { label, next } of status.items) printText(`next for ${label}: ${next}`);
      }),
    );
  const verb = command
    .command('retire <label>')
    .description('no receiver accepts it any more, within ten seconds; refused while the evidence lacks something')
    .option('--force', 'although something is missing; takes --note')
    .option('--leaked', 'somebody else has it: what the delivery history lacks of it was not sent; takes --note');
  changeFlags(verb).action((label: string, flags: RetireFlags) =>
    withSecrets((db, config) => retire(db, config, label, flags)),
  );
  changeFlags(command.command('restore <label>').description('takes a retirement back')).action(
    (label: string, flags: Flags) => withSecrets((db, config) => restore(db, config, label, flags)),
  );
}

function withSecrets(work: (db: Knex, config: SecretsConfig) => Promise<void>): Promise<void> {
  return withStore(({ db, config }) => work(db, config), ['WEBHOOK_SECRETS']);
}

async function statusNow(db: Knex, config: SecretsConfig): Promise<{ items: SecretStatus[] }> {
  const { deliveries } = await loadContract(config.CONTRACT_FILE);
  return secretsStatus(db, config.WEBHOOK_SECRETS, new Date(), deliveries.pending);
}

async function find(db: Knex, config: SecretsConfig, label: string) {
  const { items } = await statusNow(db, config);
  const found = items.find((secret) => secret.label === label);
  const labels = items.map((secret) => secret.label).join(', ');
  if (!found)
    throw new UsageError(`Nothing was changed: ${noSuchSecret(label, secretsSource(config))}; there are ${labels}.`);
  return { ...found, warning: lastAccepted(label, items, await secretsFrom(db)) };
}

async function retire(db: Knex, config: SecretsConfig, label: string, flags: RetireFlags): Promise<void> {
  const { force = false, leaked = false, note, dryRun = false, json = false } = flags;
  if ((force || leaked) && !note?.trim())
    throw new UsageError(`--${leaked ? 'leaked' : 'force'} takes --note: why the secret is retired all the same.`);
  const before = await find(db, config, label);
  if (leaked) return retireLeaked(db, config, before, { note: note ?? '', dryRun, json });
  const answer = retirement(before, force);
  if (answer === 'refused') {
    const missing = before.missing.map((line) => `\n  ${line}`).join('');
    throw new NotToBeRetiredError(
      `"${label}" is not to be retired (${before.verdict}):${missing}\nTo do it all the same: --force --note "why".`,
    );
  }
  const { fingerprint } = before;
  const warning = answer === 'allowed' ? before.warning : null;
  if (answer === 'allowed' && !dryRun)
    await retireSecret(db, { label, fingerprint, by: cliActor(), note: note ?? null, now: new Date() });
  printResult(
    json,
    { label, retired: true, dryRun, before: before.verdict, warning },
    dryRun ? `would retire ${label}` : `${label} is retired: every receiver rejects it within ten seconds`,
  );
  if (warning !== null && !json) printText(warning);
}

async function retireLeaked(
  db: Knex,
  config: SecretsConfig,
  { label, fingerprint, verdict, warning }: Awaited<ReturnType<typeof find>>,
  { note, dryRun, json }: { note: string; dryRun: boolean; json: boolean },
): Promise<void> {
  const rules = releaseRules(config, await loadContract(config.CONTRACT_FILE));
  const adoptedAt = await adoptedAtOf(db);
  const about = { label, fingerprint, by: cliActor(), note, now: new Date() };
  const answer = await inTransaction(db, dryRun, (trx) => declareLeaked(trx, about, { ...rules, adoptedAt }));
  if (answer.outcome === 'refused')
    throw new NotToBeRetiredError(
      `What the history lacks of "${label}" proves nothing: ${answer.why}.\nTo retire it alone: --force. Then check each break and order by itself.`,
    );
  const { done } = answer;
  if (json) return printJson({ label, retired: true, dryRun, before: verdict, warning, ...done });
  printText(`${dryRun ? 'would retire' : 'retired'} ${label}, as one that leaked`);
  for (const line of leakLines(done)) printText(line);
  if (warning !== null) printText(warning);
}

async function restore(db: Knex, config: SecretsConfig, label: string, flags: Flags): Promise<void> {
  const { dryRun = false, json = false, note = null } = flags;
  const { verdict } = await find(db, config, label);
  if (verdict !== 'retired') throw new UsageError(`"${label}" is not retired.`);
  if (!dryRun) await restoreSecret(db, { label, by: cliActor(), note });
  printResult(
    json,
    { label, retired: false, dryRun },
    dryRun ? `would restore ${label}` : `${label} is accepted again within ten seconds`,
  );
}
