import path from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { counted } from '../domain/in-words.js';
import { migrate, newerSchema, pendingMigrations } from '../records/database.js';
import { EMBEDDED_FOLDER, openStore, type Store } from '../wiring/open-store.js';
import type { Flags } from './arguments.js';
import { commandLog } from './command-log.js';
import { printJson, printNote } from './print.js';
import { reachingDatabase } from './with-store.js';

export function define(command: Command): void {
  command
    .description('bring both schemas, ours and the queues’, up to date')
    .option('--dry-run', 'only list the migrations that would be run')
    .option('--json', 'print JSON')
    .action(async ({ dryRun = false, json = false }: Flags) => {
      const config = loadConfig();
      if (config.DATABASE_URL === undefined)
        printNote(`DATABASE_URL is not set: this is the embedded database in ${path.resolve(EMBEDDED_FOLDER)}`);
      await reachingDatabase(config, async () => {
        const store = await openStore({ config, log: commandLog(config.LOG_LEVEL) }, { migrate: false });
        try {
          await (dryRun ? listPending(store, json) : run(store, config.DATABASE_URL, json));
          const older = await newerSchema(store.db);
          if (older !== null) printNote(`${older}: nothing to do for it`);
        } finally {
          await store.close();
        }
      });
    });
}

async function run({ databaseUrl }: Store, url: string | undefined, json: boolean): Promise<void> {
  const ran = await migrate(databaseUrl, { pooledUrl: url ?? databaseUrl });
  printNames(ran, { dryRun: false, json });
  printNote(ran.length > 0 ? `${counted(ran.length, 'migration')} run` : 'already up to date');
}

async function listPending({ db }: Store, json: boolean): Promise<void> {
  const { migrations, queues } = await pendingMigrations(db);
  printNames(migrations, { dryRun: true, json });
  if (migrations.length > 0) printNote(`${counted(migrations.length, 'migration')} would be run`);
  if (queues !== null) printNote(`the schema of the queues would be brought up to date: ${queues}`);
  if (migrations.length === 0 && queues === null) printNote('already up to date');
}

function printNames(names: readonly string[], { dryRun, json }: { dryRun: boolean; json: boolean }): void {
  if (json) printJson({ items: names.map((name) => ({ name })), dryRun });
  else for (const name of names) process.stdout.write(`${name}\n`);
}
